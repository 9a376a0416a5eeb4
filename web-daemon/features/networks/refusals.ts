// What root refuses of networks, in the words of their fields: the draft has not foreseen it.
import type { Message } from '@panel/shared/messages/message.ts'
import { Problems } from '../../platform/http/problems.ts'
import { Refusal } from '../../platform/http/refusal.ts'

/**
 * A destination that holds what this server needs is a 422 at its field; one that holds a client of sshd or the panel is
 * a 409, which no flag overrides. Anything else stays as it is.
 */
export function asNetworkRefusal(thrown: unknown): unknown {
  if (!(thrown instanceof Refusal) || thrown.details['reason'] !== 'protected_address') return thrown
  const detail = messageIn(thrown.params['detail'])
  if (detail?.message_id !== 'root.holds') return thrown
  if (messageIn(detail.params['what'])?.message_id === 'tunnel.kept_client')
    return new Refusal('NETWORK_CUTS_OWN_ACCESS', thrown, { details: thrown.details })
  const problems = new Problems()
  problems.add('destination', 'NETWORK_HOLDS_ENDPOINT', thrown)
  return problems.refusal() ?? thrown
}

const messageIn = (param: unknown): Message | null =>
  typeof param === 'object' && param !== null && 'message_id' in param ? (param as Message) : null
