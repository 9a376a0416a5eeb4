// Leads a rule to what a name among its destinations resolves to now. Stored first, then carried out, as every
// rotation.
import type { Logger } from 'pino'
import { parseIp } from '@panel/shared/address/ip.ts'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { MAX_DESTINATIONS } from '@panel/shared/api/routes/destinations.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { isLoopback } from '@panel/shared/address/special.ts'
import { attempt } from '../../change/attempt.ts'
import type { PanelAction } from '../../change/remediate.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Found } from '../../platform/network/followed-names.ts'
import type { ResolveHost } from '../../platform/network/resolver.ts'
import { reapplyRules } from '../routes/change.ts'
import { addressProblem, chosenAddresses } from '../routes/draft/hostnames.ts'
import { endConnections } from '../routes/end-connections.ts'
import { hostFacts } from '../routes/facts.ts'
import { portsOf } from '../routes/ports.ts'
import { familyOf, ruleOf, type NewDestination, type RouteRecord } from '../routes/record.ts'
import { routesOf } from '../routes/store.ts'
import { replaceRoute } from '../routes/store-write.ts'
import type { Accounting } from '../routes/accounting.ts'

export interface HostnamesDeps {
  readonly context: Omit<CommandContext, 'note'>
  readonly traffic: Accounting
  readonly record: (action: PanelAction) => Promise<void>
  readonly panelPorts: () => readonly number[]
  readonly logger: Logger
  readonly resolve?: ResolveHost
}

interface Resolved {
  readonly hostname: string
  readonly resolution: Found
  /** The last look found the same addresses. */
  readonly isSteady: boolean
}

/** Returns what keeps some of the addresses from being used; null where nothing does. */
export async function moveToAddresses(
  deps: HostnamesDeps,
  record: RouteRecord,
  { hostname, resolution, isSteady }: Resolved,
): Promise<Message | null> {
  const { usable, problem } = await judgeAddresses(deps, record, hostname, resolution.addresses)
  if (usable.length === 0) return problem
  const { destinations, isFull } = spreadOver(record, hostname, usable)
  const isClosed = record.destinations.some((one) => one.hostname === hostname && one.address === '')
  if (!sameEnds(destinations, record.destinations) && (isSteady || isClosed)) await move(deps, record, hostname, usable)
  return isFull ? message('check.too_many_addresses', { count: MAX_DESTINATIONS, hostname }) : problem
}

async function judgeAddresses(
  { context, panelPorts }: HostnamesDeps,
  record: RouteRecord,
  hostname: string,
  addresses: readonly string[],
): Promise<{ readonly usable: string[]; readonly problem: Message | null }> {
  const held = new Set(record.destinations.map(({ address }) => address))
  // What is in use already was judged when it was taken.
  const facts = addresses.every((address) => held.has(address)) ? null : await hostFacts(context.request, true)
  const { route_protocol_id, bind_address, bind_interface } = record
  const ports = portsOf(record.bind_port, record.bind_port_range_end)
  const listening = { family: familyOf(record), route_protocol_id, bind_address, ports, bind_interface }
  const its = record.destinations.filter((one) => one.hostname === hostname)
  let problem: Message | null = null
  const usable = addresses.filter((address) => {
    if (held.has(address) || !facts) return true
    const ip = parseIp(address)
    const found = its
      .map(({ port }) => addressProblem({ facts, panelPorts }, listening, address, port))
      .find((one) => one !== null)
    // Nobody is there who could force it.
    const why = found?.message ?? (ip && isLoopback(ip) ? message('route.loopback', { address }) : null)
    problem ??= why
    return why === null
  })
  return { usable, problem }
}

/** The record's destinations with those of the name in the place that they had. */
function spreadOver(
  { destinations }: RouteRecord,
  hostname: string,
  usable: readonly string[],
): { readonly destinations: NewDestination[]; readonly isFull: boolean } {
  const ends = new Set<string>()
  const wanted: NewDestination[] = []
  for (const { route_destination_id: _id, ...one } of destinations) {
    if (one.hostname !== hostname) {
      wanted.push(one)
      continue
    }
    const end = `${one.port} ${one.hostname_policy ?? 'first'}`
    if (ends.has(end)) continue
    ends.add(end)
    const its = destinations.filter((other) => other.hostname === hostname && other.port === one.port)
    const held = its.map(({ address }) => address)
    for (const address of chosenAddresses(one.hostname_policy ?? 'first', usable, held)) {
      const before = its.find((other) => other.address === address)
      wanted.push({ ...one, address, drained_until: (before ?? one).drained_until, state: before?.state ?? 'unknown' })
    }
  }
  const kept = wanted.slice(0, MAX_DESTINATIONS)
  return { destinations: kept.map((one, sort_order) => ({ ...one, sort_order })), isFull: kept.length < wanted.length }
}

const sameEnds = (a: readonly NewDestination[], b: readonly NewDestination[]): boolean =>
  sameState(
    a.map(({ address, port }) => [address, port]),
    b.map(({ address, port }) => [address, port]),
  )

async function move(
  { context, traffic, record: writeEntry, logger }: HostnamesDeps,
  { route_rule_id }: RouteRecord,
  hostname: string,
  usable: readonly string[],
): Promise<void> {
  const note = new AuditNote()
  note.target('route', route_rule_id)
  note.operation(`${hostname} resolves to ${usable.join(', ')}`)
  const { failure, refusal, duration_ms } = await attempt(() =>
    context.inTurn(() => carryOut({ ...context, note }, traffic, route_rule_id, { hostname, usable })),
  )
  if (refusal) logger.warn({ err: failure, hostname }, 'a rule could not be led to what a name resolves to')
  await writeEntry({ action: 'RouteRotate', note, refusal, duration_ms })
}

async function carryOut(
  context: CommandContext,
  traffic: Accounting,
  route_rule_id: number,
  { hostname, usable }: { readonly hostname: string; readonly usable: readonly string[] },
): Promise<void> {
  const [stored] = await routesOf(context.db, [route_rule_id])
  if (!stored?.destinations.some((one) => one.hostname === hostname)) return
  const { destinations } = spreadOver(stored, hostname, usable)
  const pending = { apply_status_id: APPLY_STATUSES.Pending, updated_date: context.now().toISOString() }
  await context.db.transaction().execute((db) => replaceRoute(db, { ...stored, destinations, ...pending }))
  const [after] = await routesOf(context.db, [route_rule_id])
  if (!after) return
  if (!sameState(ruleOf(stored), ruleOf(after))) await reapplyRules(context, traffic, [after])
  const left = stored.destinations.filter((one) => !after.destinations.some(({ address }) => address === one.address))
  await endConnections(
    context,
    stored,
    left.filter(({ address }) => address !== ''),
  )
  context.publish('routes.changed', { route_rule_ids: [route_rule_id] })
}
