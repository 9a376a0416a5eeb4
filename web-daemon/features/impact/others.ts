// Connections that no rule owns and that lead over the tunnels of a foreseen change. Every connection of the host is
// looked at, so this is counted only on request.
import { networksBehind, type ImpactFacts } from '@panel/shared/impact/impact.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { fromRoot, message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { Impact } from '@panel/shared/api/impact/impact.ts'
import { THROUGH_NETWORKS_MAX } from '@panel/shared/ruleset/connection.ts'
import type { ReadContext } from '../../platform/context.ts'
import { nullIfUnreadable } from './unreadable.ts'

type Others = NonNullable<Impact['connections']['others']>

export async function countOthers(
  { request }: ReadContext,
  foreseen: Foreseen,
  { through }: Pick<ImpactFacts, 'through'>,
): Promise<Others> {
  const networks = networksBehind(foreseen, through)
  if (!networks) return unknown(message('impact.ways_unknown'))
  if (networks.length === 0) return known(0)
  if (networks.length > THROUGH_NETWORKS_MAX)
    return unknown(message('impact.others_networks', { most: THROUGH_NETWORKS_MAX }))
  const found = await nullIfUnreadable(request('connections.through', { networks }))
  if (!found) return unknown(message('impact.not_counted'))
  return found.is_readable ? known(found.connections) : unknown(fromRoot(found.detail))
}

const known = (total: number): Others => ({
  is_known: true,
  ...messageFields('detail', message('impact.others')),
  total,
})
const unknown = (why: Message): Others => ({ is_known: false, ...messageFields('detail', why), total: null })
