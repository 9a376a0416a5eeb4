// Asks any command what it would do (reference.md, Impact).
import { preview, type Endpoint } from '../../platform/http/endpoint.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { foreseeRequest } from './foresee.ts'

/** That of the largest body that can be foreseen: a backup. */
const LIMIT_BYTES = 8 * 1024 * 1024

export const impactEndpoints = (readImpact: ReadImpact, endpoints: () => readonly Endpoint[]) => [
  preview(
    'POST /impact',
    {
      tag: 'impact',
      summary:
        'Foresee a request: the steps that root would carry out, and what becomes of open connections, rules, routes and your own access. Carries nothing out.',
      statuses: [404, 409],
      body_limit_bytes: LIMIT_BYTES,
    },
    foreseeRequest(readImpact, endpoints),
  ),
]
