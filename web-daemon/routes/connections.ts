// Who uses a rule now (interface.md, GET /routes/{id}/connections; decisions.md, F22). Connection tracking can be read by root alone,
// and this build has not asked it yet: `readConnections` is the one place for that, and until then it says that nothing is known.
import type { ConnectionsAnswer } from '@panel/shared/api/connections.ts'
import type { ReadContext } from '../context.ts'
import { ok, type Answer, type Incoming } from '../http/endpoint.ts'
import { livingRoute } from './get.ts'

type Read = Pick<ConnectionsAnswer, 'reader' | 'available' | 'bytes_counted' | 'detail' | 'connections' | 'total' | 'by_source' | 'new_per_second'>

const readConnections = (): Read => ({
  reader: 'none',
  available: false,
  bytes_counted: false,
  detail: 'This build does not read connection tracking, so it is not known who uses the rule.',
  connections: [],
  total: null,
  by_source: {},
  new_per_second: null,
})

export async function listConnections({ db, now }: ReadContext, { params }: Incoming): Promise<Answer> {
  const { route_rule_id } = await livingRoute(db, params)
  const answer: ConnectionsAnswer = { route_rule_id, ...readConnections(), checked_at: now().toISOString() }
  return ok(answer)
}
