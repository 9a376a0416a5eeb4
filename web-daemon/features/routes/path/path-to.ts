// Which tunnel leads to an address, so that the form of a rule can propose it (decisions.md, F9).
import { canonicalIp, parseIp } from '@panel/shared/address/ip.ts'
import type { PathAnswer } from '@panel/shared/api/routes/answers.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../../platform/http/endpoint.ts'
import { remedyView } from '../../../platform/http/remedy.ts'
import { atFarEnd } from './far-end.ts'
import { readPaths } from './path.ts'

export async function pathTo(context: ReadContext, { query, problems }: Incoming): Promise<Answer<PathAnswer>> {
  const text = query['address'] ?? ''
  if (!parseIp(text)) problems.add('address', 'INVALID_ADDRESS', message('route.not_ip', { address: text }))
  problems.throwIfAny()
  const address = canonicalIp(text)
  const destinations = [{ address, is_enabled: true }]
  const paths = await readPaths(context, [{ destinations, tunnel_id: null, fwmark: null }])
  const tunnel_id = paths.wayTo(address)?.tunnel_id ?? null
  const interface_name = tunnel_id === null ? null : (paths.nameOf(tunnel_id) ?? null)
  const far_end = tunnel_id === null ? [] : atFarEnd(paths, tunnel_id, [address]).map(remedyView)
  const answer: PathAnswer = { address, tunnel_id, interface_name, far_end }
  return ok(answer)
}
