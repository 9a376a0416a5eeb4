// Root changes and deletes only what the panel made or adopted (decisions.md, S18). It remembers that until the next
// boot and reads it from unit files; a link that neither proves is adopted before it is changed.
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import type { CommandContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { stateOf, type TunnelRecord } from './record.ts'

/** Applies a change of a stored tunnel. Its link may have been made again by another program. */
export async function applyStored(request: Writer, change: Change<TunnelState>): Promise<Outcome> {
  try {
    return await request('tunnel.apply', change)
  } catch (refused) {
    const { interface_name = '', link = null } = change.before ?? {}
    if (link === null || !(refused instanceof Refusal) || refused.code !== 'PROTECTED_INTERFACE') throw refused
    await request('tunnel.adopt', { interface_name, link })
    return request('tunnel.apply', change)
  }
}

/** Why the link is not deleted with its tunnel; null where it may be. */
export function whyNotDeleted({ interface_name, state, is_ours }: TunnelFound, record: TunnelRecord): Message | null {
  const [found, wanted] = [state?.link?.config, stateOf(record).link?.config]
  if (is_ours || !found || !wanted || isBetweenSameEnds(found, wanted)) return null
  return message('tunnel.not_ours', { name: interface_name })
}

/** A root helper that is away is no reason to keep a record: it counts the link as the panel's until the next boot. */
export async function release(
  { request, note }: Pick<CommandContext, 'request' | 'note'>,
  interface_name: string,
): Promise<void> {
  try {
    await request('tunnel.release', { interface_name })
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused
    note.operation(`Root still lets the panel change ${interface_name}: ${refused.message}`)
  }
}
