// GET /metrics: what is known of the panel, its tunnels and its rules, in the format of Prometheus. Nothing is
// collected for it and root is sent nothing, so it may be read as often as a client likes (adr/0019).
import { declarations, type Endpoint, ok } from '../../platform/http/endpoint.ts'
import { CONTENT_TYPES, exposition, formatFor, type Family } from './format.ts'

export const METRICS_PATH = '/metrics'

/** Stands for the address before the guards: it is none of the API's endpoints. */
export const METRICS_ENDPOINT: Endpoint = declarations({ 'GET /metrics': {} }).query(
  'GET /metrics',
  { tag: 'metrics' },
  async () => ok({}),
)

export type ReadFamilies = () => Promise<Family[]>

export const readMetrics =
  (readFamilies: ReadFamilies) =>
  async (accept: string): Promise<{ type: string; text: string }> => {
    const format = formatFor(accept)
    return { type: CONTENT_TYPES[format], text: exposition(await readFamilies(), format) }
  }
