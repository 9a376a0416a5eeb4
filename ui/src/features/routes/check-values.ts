// The form values of a check and their request.
import type { PutRouteCheckBody, RouteCheck } from '@panel/shared/api/routes/check.ts'

export interface CheckValues extends Omit<RouteCheck, 'interval_ms' | 'timeout_ms' | 'fall' | 'rise'> {
  interval_ms: number | null
  timeout_ms: number | null
  fall: number | null
  rise: number | null
}

/** The values that the daemon fills in if a request leaves them out. */
const EMPTY: CheckValues = {
  kind: 'tcp',
  port: null,
  path: '/',
  host: '',
  expect_status: null,
  interval_ms: 5000,
  timeout_ms: 2000,
  fall: 3,
  rise: 2,
  on_all_down: 'keep',
  connections_of_down: 'auto',
  is_enabled: true,
}

export const checkValues = (check: RouteCheck | null): CheckValues => ({ ...EMPTY, ...check })

/** What is left empty the daemon fills in. */
export const checkBody = ({ path, ...values }: CheckValues): PutRouteCheckBody =>
  Object.fromEntries(
    Object.entries({ ...values, path: path.trim() || '/' }).filter(
      ([name, value]) => value !== null || name === 'port' || name === 'expect_status',
    ),
  )
