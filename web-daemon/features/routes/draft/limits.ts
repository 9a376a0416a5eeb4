// What root allows of a rule on this host (shared/limits/), at the field that is beyond it.
import {
  destinationLimit,
  tunnelsAmong,
  whyNoListener,
  whyNoMark,
  whyNoPairs,
  type Led,
} from '@panel/shared/limits/judge.ts'
import type { OwnPorts } from '@panel/shared/limits/entries.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { answerMarkTaken } from '../../tunnels/draft/answers.ts'
import { protocolOf, type NamedRoute } from '../record.ts'
import type { DraftContext } from './context.ts'
import type { Listening } from './listener.ts'

export type Home = Pick<DraftContext, 'facts' | 'panelPorts'>

/** The ports that sshd and the panel listen on, or are configured for. */
export function ownPorts({ facts: { listeners, limits }, panelPorts }: Home): OwnPorts {
  const listening = listeners.flatMap(({ is_sshd, port }) => (is_sshd ? [port] : []))
  return {
    sshd: [...listening, ...limits.own_ports.sshd],
    panel: [...panelPorts(), ...limits.own_ports.panel],
  }
}

/** Why nothing is relayed there; null if it may be. */
export function destinationBeyond(
  home: Home,
  { route_protocol_id, ports }: Listening,
  address: string,
  port: number,
): Message | null {
  const { facts } = home
  const led: Led = {
    protocol: protocolOf(route_protocol_id),
    address,
    isOwn: facts.addresses.has(address),
    first: port,
    last: port + ports.last - ports.first,
  }
  return destinationLimit(facts.limits, ownPorts(home))(led)
}

/** What concerns the rule as a whole; each destination was judged with the others of its faults. */
export function checkLimits({ facts, problems, answered }: DraftContext, record: NamedRoute): void {
  if (answered && !problems.has('fwmark'))
    problems.add('fwmark', 'INVALID_FWMARK', answerMarkTaken(record.fwmark ?? 0, answered))
  const { limits: allowed, interfaces } = facts
  const beyond: readonly (readonly [field: string, why: Message | null])[] = [
    ['bind_address', whyNoListener(allowed, record, tunnelsAmong(interfaces.values()))],
    ['fwmark', whyNoMark(allowed, record.fwmark)],
    ['allowed_sources', whyNoPairs(allowed, record)],
  ]
  for (const [field, why] of beyond) if (why && !problems.has(field)) problems.add(field, 'BEYOND_LIMITS', why)
}
