// UDP flows that are older than the rules of a foreseen change, which end once those are in force.
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import { comingIntoForce, listensForUdp } from '@panel/shared/ruleset/in-force.ts'
import { RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import type { ReadContext } from '../../platform/context.ts'
import { nullIfUnreadable } from './unreadable.ts'

interface Older {
  readonly count: number
  /** Why they are not known; null where they are. */
  readonly unknown: Message | null
}

export async function countOlder(
  { request }: Pick<ReadContext, 'request'>,
  { changes }: Pick<Foreseen, 'changes'>,
): Promise<Older> {
  const coming = changes.flatMap((one) =>
    one.noun === 'route' ? comingIntoForce(one.change.before ?? [], one.change.after ?? []) : [],
  )
  const listeners = coming
    .filter(listensForUdp)
    .map(({ bind_address, bind_port, bind_port_range_end }) => ({ bind_address, bind_port, bind_port_range_end }))
  let count = 0
  for (let at = 0; at < listeners.length; at += RULES_PER_CHANGE_MAX) {
    const piece = listeners.slice(at, at + RULES_PER_CHANGE_MAX)
    const found = await nullIfUnreadable(request('connections.older', { listeners: piece }))
    if (!found) return { count: 0, unknown: message('impact.not_counted') }
    if (!found.is_readable) return { count: 0, unknown: fromRoot(found.detail) }
    count += found.connections
  }
  return { count, unknown: null }
}
