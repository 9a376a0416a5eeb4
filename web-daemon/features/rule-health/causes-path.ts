// The causes that lie behind this server: the tunnels and routes to the destinations, and the destinations themselves.
import { message, type Message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { isDrained } from '../failover/shown-state.ts'
import { takersOf } from '../failover/takers.ts'
import {
  isActive,
  isUnresolved,
  rotationOf,
  ruleOf,
  type DestinationRecord,
  type RouteRecord,
} from '../routes/record.ts'
import { endOf } from '../routes/rotation-warnings.ts'
import { hasOtherFamily, whatBecomes } from '../routes/unresolved.ts'
import { cause, type Cause } from './cause.ts'
import type { RuleFacts } from './facts.ts'

/** Several destinations may be reached by several tunnels, and some by none. */
export function ofTunnels(record: RouteRecord, { paths, tunnels }: RuleFacts): Cause[] {
  const hops = paths.hopsOf(record)
  const isAll = (broken: (tunnel_id: number) => boolean): boolean =>
    hops.length > 0 && hops.every((hop) => hop !== null && broken(hop))
  const isDeleted = (id: number): boolean => paths.nameOf(id) === undefined
  const deleted = paths.tunnelsOf(record).find(isDeleted)
  if (deleted !== undefined)
    return [
      cause(
        'TUNNEL_GONE',
        isAll(isDeleted) ? 'stops' : 'degrades',
        message('health.tunnel_gone', { tunnel_id: deleted }),
        {
          remedies: [message('health.fix_other_tunnel')],
          subject: `tunnel ${deleted}`,
        },
      ),
    ]
  const down = tunnels.filter(({ is_known, is_up }) => is_known && !is_up)
  const [first] = down
  if (!first) return []
  const tunnel = tunnelNamed(first)
  const isDown = (id: number): boolean => down.some(({ tunnel_id }) => tunnel_id === id)
  return [
    cause('TUNNEL_DOWN', isAll(isDown) ? 'stops' : 'degrades', message('health.tunnel_down', { tunnel }), {
      remedies: [
        message(paths.isEnabled(first.tunnel_id) ? 'health.fix_tunnel_reapply' : 'health.fix_tunnel_up', { tunnel }),
      ],
      subject: `tunnel ${first.tunnel_id}`,
    }),
  ]
}

/** A mark may have another routing table looked up, and a tunnel that is down has no routes. */
export function ofRoutes(record: RouteRecord, facts: RuleFacts): Cause[] {
  if (record.fwmark !== null) return []
  const { paths, tunnels } = facts
  const hops = paths.hopsOf(record)
  const enabled = record.destinations.filter(({ is_enabled }) => is_enabled)
  const isOverBroken = (at: number): boolean => {
    const hop = hops[at] ?? null
    const over = tunnels.find(({ tunnel_id }) => tunnel_id === hop)
    return hop !== null && !(over?.is_known && over.is_up)
  }
  const reached = enabled.filter((one, at) => isActive(one) && one.address !== '' && !isOverBroken(at))
  const lost = reached.filter(({ address }) => paths.kindOf(address) === 'none')
  const [first] = lost
  if (!first) return elsewhere(record, facts, reached)
  const { address } = first
  const sentence =
    lost.length === 1
      ? message('health.no_route', { address })
      : message('health.no_routes', { address, count: lost.length - 1 })
  const effect = lost.length === enabled.filter(isActive).length ? 'stops' : 'degrades'
  return [cause('NO_ROUTE', effect, sentence, { remedies: [message('health.fix_route')] })]
}

/**
 * The routing table decides by which interface packets leave, whatever tunnel the rule names; a rule of the routing
 * policy that goes by the interface or the source of a packet may lead them elsewhere (decisions.md, F9). A network
 * chooses among its paths, so that each of them is as good.
 */
function elsewhere(
  { tunnel_id }: RouteRecord,
  { paths, networkOf, tunnels }: RuleFacts,
  reached: readonly DestinationRecord[],
): Cause[] {
  const name = tunnel_id === null ? undefined : paths.nameOf(tunnel_id)
  if (tunnel_id === null || name === undefined) return []
  const isPath = (address: string): boolean =>
    networkOf(address)?.paths.some(({ interface_name }) => interface_name === paths.deviceTo(address)) ?? false
  const aside = reached.find(
    ({ address }) =>
      paths.wayTo(address)?.tunnel_id !== tunnel_id &&
      ![null, name].includes(paths.deviceTo(address)) &&
      !isPath(address),
  )
  const device = aside && paths.deviceTo(aside.address)
  if (!device || tunnels.some((one) => one.tunnel_id === tunnel_id && !one.is_up)) return []
  const tunnel = tunnelNamed({ tunnel_id, interface_name: name })
  const command = `ip route replace ${aside.address} dev ${name}`
  return [
    cause('ROUTE_CHANGED', 'may_stop', message('health.route_elsewhere', { address: aside.address, device, tunnel }), {
      remedies: [message('health.fix_route_over', { command })],
    }),
  ]
}

/** What was taken out by hand impairs nothing while others are up. */
export function ofDestinations(record: RouteRecord, facts: Pick<RuleFacts, 'reasonOf' | 'nameOf'>): Cause[] {
  return [...ofNames(record, facts), ...ofChecked(record, facts)]
}

function ofChecked(record: RouteRecord, { reasonOf }: Pick<RuleFacts, 'reasonOf'>): Cause[] {
  const active = record.destinations.filter((one) => isActive(one) && one.address !== '')
  const out = active.filter((one) => rotationOf(one) === 'out')
  const worst = out.find(({ state }) => state === 'down') ?? out[0]
  if (!worst) return []
  const why = isDrained(worst)
    ? message('check.drained')
    : (reasonOf(worst.route_destination_id) ?? message('check.never'))
  const remedies = isDrained(worst) ? [message('health.fix_drained')] : [message('health.fix_destination')]
  const params = { total: active.length, destination: endOf(worst), why }
  if (out.length === active.length) {
    const sentence = message(ruleOf(record)?.is_closed ? 'check.health_refused' : 'check.health_kept', params)
    return [cause('DESTINATIONS_DOWN', 'stops', sentence, { remedies })]
  }
  const sentence = inPart(record, active, params)
  return [cause('DESTINATIONS_DOWN', isDrained(worst) ? 'note' : 'degrades', sentence, { remedies })]
}

function inPart(
  record: RouteRecord,
  active: readonly DestinationRecord[],
  params: { readonly destination: string; readonly why: Message },
): Message {
  const takers = takersOf(record)
  const total = active.filter(({ is_backup }) => !is_backup).length
  return takers.every(({ is_backup }) => is_backup)
    ? message('check.health_backup', params)
    : message('check.health_some', { ...params, total, count: takers.length })
}

/** The kernel holds nothing of a rule that has no address to relay to. Others go on with what they have. */
function ofNames(record: RouteRecord, { nameOf }: Pick<RuleFacts, 'nameOf'>): Cause[] {
  const isClosed = ruleOf(record) === null
  const named = record.destinations.filter(isClosed ? isUnresolved : isActive)
  return [...new Set(named.flatMap(({ hostname }) => hostname ?? []))].flatMap((hostname) => {
    const status = nameOf(hostname)
    const why = status?.unresolved ?? null
    if (!isClosed && (!why || !status?.isStale)) return []
    const isHeld = named.some((one) => one.hostname === hostname && one.address !== '')
    const sentence = !isClosed && why ? whatBecomes(why, isHeld) : closedBy(hostname, why)
    const more = { remedies: [message('health.fix_name')], subject: hostname }
    return [cause('DESTINATION_UNRESOLVED', isClosed ? 'stops' : 'degrades', sentence, more)]
  })
}

const closedBy = (hostname: string, why: Message | null): Message =>
  why && hasOtherFamily(why)
    ? message('check.health_closed', { why })
    : message('check.health_unresolved', { hostname })
