// The endpoints of checks and of what is taken out by hand.
import { command, query } from '../../platform/http/endpoint.ts'
import type { Accounting } from '../routes/accounting.ts'
import { drain, foreseeDrain, foreseeReturn, putBack } from './drain.ts'
import type { Failover } from './failover.ts'
import { foreseePut, foreseeRemoval, putCheck, removeCheck, showCheck } from './change-check.ts'

const tag = 'routes'

export const failoverEndpoints = (failover: Failover, traffic: Accounting) => [
  query(
    'GET /routes/{id}/check',
    {
      tag,
      summary: 'How the destinations of a rule are checked, what that came to, and which of them take connections.',
    },
    showCheck(failover),
  ),
  command(
    'PUT /routes/{id}/check',
    {
      tag,
      summary:
        'Check the destinations of a rule like this; one that fails gets no new connections until it is up again.',
      gathersProblems: true,
      audit: 'RouteCheckChange',
      foresee: foreseePut,
    },
    putCheck(failover, traffic),
  ),
  command(
    'DELETE /routes/{id}/check',
    {
      tag,
      summary: 'Check the destinations of a rule no longer: all that are not taken out by hand get connections again.',
      audit: 'RouteCheckChange',
      foresee: foreseeRemoval,
    },
    removeCheck(failover, traffic),
  ),
  command(
    'POST /routes/{id}/destinations/{destination_id}/drain',
    {
      tag,
      summary: 'Take a destination out of rotation by hand: it gets no new connections, and keeps those that it has.',
      audit: 'DestinationDrain',
      foresee: foreseeDrain,
    },
    drain(failover, traffic),
  ),
  command(
    'POST /routes/{id}/destinations/{destination_id}/return',
    {
      tag,
      summary:
        'Put a destination back that was taken out by hand; it gets connections unless its checks say that it is down.',
      audit: 'DestinationReturn',
      foresee: foreseeReturn,
    },
    putBack(failover, traffic),
  ),
]
