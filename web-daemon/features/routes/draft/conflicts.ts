// Conflicts over the ports of a rule: other rules, local processes, and protected ports (decisions.md, F7;
// reference.md, bind_port).
import type { Listener } from '@panel/shared/host/listener.ts'
import { portLimit } from '@panel/shared/limits/judge.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { isIdentical, isOverlapping, winnerOf } from '../overlap.ts'
import { has, isAddressMet, spelledPorts } from '../ports.ts'
import { protocolOf, type NamedRoute } from '../record.ts'
import { ownPorts } from './limits.ts'
import type { Listening } from './listener.ts'
import { warn, type DraftContext } from './context.ts'

/** A disabled rule conflicts with none. */
export function checkOtherRules(draft: DraftContext, record: NamedRoute): void {
  if (!record.is_enabled) return
  for (const other of draft.rulesOnPorts) {
    const rule = ruleNamed({ ...other, route_rule_title: `${other.route_rule_title} (${other.route_rule_id})` })
    if (isIdentical(record, other)) {
      draft.problems.add('bind_port', 'ROUTE_PORT_CONFLICT', message('route.port_conflict', { rule }), {
        route_rule_id: other.route_rule_id,
      })
    } else if (isOverlapping(record, other)) {
      const isOtherFirst = winnerOf<NamedRoute>(record, other) === other
      warn(
        draft,
        'ROUTE_OVERLAPS_RULE',
        'bind_port',
        message(isOtherFirst ? 'route.overlap_other_first' : 'route.overlap_this_first', { rule }),
      )
    }
  }
}

export function checkProcesses(draft: DraftContext, listening: Listening): void {
  const { body, problems } = draft
  const [user] = processesOn(draft, listening).filter((one) => !isProtected(draft, one))
  if (!user || body.is_enabled === false) return
  const { protocol, port } = user
  const params = { process: user.process || message('route.a_process'), protocol, port }
  if (body.force === true) warn(draft, 'PORT_IN_USE_FORCED', 'bind_port', message('route.port_in_use', params))
  else
    problems.add('bind_port', 'PORT_IN_USE', message('route.port_in_use_unless_forced', params), {
      process: user.process,
      protocol,
      port,
    })
}

/** A process that listens on loopback only does not conflict. */
export const processesOn = ({ facts }: DraftContext, listening: Listening): Listener[] =>
  facts.listeners.filter(
    (one) =>
      isSpoken(listening.route_protocol_id, one.protocol) &&
      has(listening.ports, one.port) &&
      isReachedAt(one.address, listening),
  )

/** A process on :: also takes IPv4 connections, unless it sets IPV6_V6ONLY (ipv6(7)). */
const isReachedAt = (address: string, { family, bind_address }: Listening): boolean => {
  if (address === '::1' || address.startsWith('127.')) return false
  if (address === '::') return true
  return (address.includes(':') ? 6 : 4) === family && isAddressMet(address, bind_address)
}

const isSpoken = (route_protocol_id: number, protocol: Listener['protocol']): boolean => {
  const messageFields = protocolOf(route_protocol_id)
  return messageFields === 'both' || messageFields === protocol
}

const isProtected = ({ panelPorts }: DraftContext, { protocol, port, is_sshd }: Listener): boolean =>
  protocol === 'tcp' && (panelPorts().includes(port) || is_sshd)

/**
 * 409, whatever else the request says: without these ports nobody could remove the rule. Applies to disabled rules
 * too.
 */
export function refuseProtected(draft: DraftContext, { route_protocol_id, ports }: Listening): void {
  const { panelPorts, facts } = draft
  const refuse = (port: number, why: Message): never => {
    throw new Refusal('PROTECTED_PORT', why, { field: 'bind_port', details: { port } })
  }
  const ofOwner = (port: number, owner: Message): Message =>
    message('route.protected_port', {
      port:
        ports.first === ports.last
          ? message('route.port', { port })
          : message('route.port_within', { port, ports: spelledPorts(ports) }),
      owner,
    })
  const protocol = protocolOf(route_protocol_id)
  const panel = protocol === 'udp' ? undefined : panelPorts().find((port) => has(ports, port))
  if (panel !== undefined) refuse(panel, ofOwner(panel, message('route.owner_panel')))
  const found = portLimit(facts.limits, ownPorts(draft), { protocol, ...ports })
  if (found) refuse(found.port, found.by === 'sshd' ? ofOwner(found.port, message('route.owner_ssh')) : found.why)
}
