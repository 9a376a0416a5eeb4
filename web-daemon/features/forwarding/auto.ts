// Turns IP forwarding on for a rule that needs it: without it nothing is relayed (decisions.md, section 8,
// routes.auto_enable_ip_forward).
import type { Family } from '@panel/shared/address/ip.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { HostChange } from '@panel/shared/impact/foreseen.ts'
import { keepingAdvertised, losing, onHost, wouldLose } from '@panel/shared/forwarding/host.ts'
import type { ForwardingFound } from '@panel/shared/forwarding/model.ts'
import { withForwarding } from '@panel/shared/forwarding/plan.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { turnOn } from './state.ts'
import { conntrackWarnings } from './view.ts'

/**
 * Foresees what `forwardFor` does, for one family after the other. Throws 409 where that would take the host's IPv6
 * away: call it before anything is changed.
 */
export async function foreseeForwarding(
  context: ReadContext,
  families: readonly Family[],
): Promise<Extract<HostChange, { noun: 'forwarding' }>[]> {
  if (families.length === 0 || !context.settings.get('routes.auto_enable_ip_forward')) return []
  const found = await context.request('forwarding.probe', {})
  const changes = []
  let state = onHost(found.state, found)
  for (const family of families) {
    const name = family === 6 ? 'ipv6' : 'ipv4'
    if (state.live[name]) continue
    if (name === 'ipv6') refuseLoss(found)
    const change = { before: state, after: keepingAdvertised(state, withForwarding(state, [name])) }
    changes.push({ noun: 'forwarding' as const, change })
    state = change.after
  }
  return changes
}

/** Refuses as root would, which cannot set what keeps the routes of router advertisements. */
export function refuseLoss(found: ForwardingFound): void {
  const names = losing(found)
  if (names.length > 0) throw new Refusal('WOULD_LOSE_IPV6', wouldLose(names))
}

/**
 * The rule stands whether this works or not; where it does not, a warning says what is missing. Call it inside
 * `inTurn`.
 */
export async function forwardFor(context: CommandContext, family: Family): Promise<Warning[]> {
  const [name, wanted] = family === 6 ? (['IPv6', 'ipv6'] as const) : (['IPv4', 'ipv4'] as const)
  const off = (why: Message): Warning[] => [
    {
      code: 'IP_FORWARDING_OFF',
      ...message('forwarding.off', { family: name, why }),
      field: '',
    },
  ]
  try {
    const found = await context.request('forwarding.probe', {})
    if (found.state.live[wanted]) return conntrackWarnings(found, context.settings)
    if (!context.settings.get('routes.auto_enable_ip_forward')) return off(message('forwarding.turn_on'))
    await turnOn(context, found, [wanted])
    return conntrackWarnings(found, context.settings)
  } catch (refused) {
    if (refused instanceof Refusal) return off(asMessage(refused))
    throw refused
  }
}
