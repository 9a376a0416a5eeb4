// What needs the operator, from what the background knows already: tunnels that are down or not as stored, relay rules
// that relay nothing, each with what it takes down, and what is wrong with the host itself.
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { AttentionAnswer, Incident } from '@panel/shared/api/reconcile.ts'
import { message, sentences, type Message } from '@panel/shared/messages/message.ts'
import type { Heals } from '../../change/heal.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import type { HostIncident } from '../../platform/health.ts'
import type { Monitor } from '../monitor/monitor.ts'
import type { RouteWatch } from '../rule-health/watch.ts'
import { readPaths } from '../routes/path/path.ts'
import { allTitles, enabledIds, routeEnds } from '../routes/store.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { everyTunnel } from '../tunnels/store.ts'
import type { Item } from './report.ts'
import type { TunnelWatch } from './watch.ts'

export interface AttentionDeps {
  readonly watch: TunnelWatch
  readonly routeWatch: RouteWatch
  readonly heals: Heals
  readonly monitor: Monitor
  readonly traffic: Pick<Traffic, 'connections'>
  /** The helper, the certificate and the disks, of other features. */
  readonly ofHost: (context: ReadContext) => Promise<HostIncident[]>
}

/** So many rules are named of those that an incident takes down. */
const NAMED = 10
const WRONG = ['Missing', 'Drifted', 'Inconsistent']
const FINE = ['healthy', 'disabled']

type Found = Omit<Incident, 'kind' | 'id' | 'affected' | 'affected_routes' | 'affected_connections' | 'name'> & {
  readonly kind: 'tunnel' | 'route'
  readonly id: number
}

export function showAttention(deps: AttentionDeps) {
  return async (context: ReadContext): Promise<Answer<AttentionAnswer>> => {
    await deps.monitor.settled()
    const found = [...tunnelsFound(deps), ...rulesFound(deps)]
    const incidents = [
      ...(await deps.ofHost(context)).map(ofHost),
      ...(found.length === 0 ? [] : await withEffects(context, deps, found)),
    ]
    return ok({
      incidents: incidents.sort(worstAndLatestFirst),
      total: incidents.length,
      checked_at: deps.watch.last()?.at ?? null,
      ...(await countKnown(context, deps)),
    })
  }
}

/** Calm is known only of what was looked at: a daemon that has just started knows of nothing that is wrong. */
async function countKnown(
  { db }: ReadContext,
  { monitor, routeWatch }: AttentionDeps,
): Promise<Pick<AttentionAnswer, 'known' | 'unmeasured' | 'unmonitored'>> {
  const tunnels = monitor.summary().tunnels.filter(({ tunnel_enabled }) => tunnel_enabled)
  const inState = (word: MonitorState): number => tunnels.filter(({ state }) => state === word).length
  const [unmeasured, unmonitored] = [inState('Unknown'), inState('Disabled')]
  const rules = await enabledIds(db)
  const looked = new Set(routeWatch.entries().flatMap(({ key, status }) => (status === 'disabled' ? [] : [key])))
  const knownRules = rules.filter((id) => looked.has(id)).length
  return {
    known: tunnels.length - unmeasured - unmonitored + knownRules,
    unmeasured: { tunnels: unmeasured, rules: rules.length - knownRules },
    unmonitored,
  }
}

/** It takes no rule down at once. */
const ofHost = ({ sentence, ...rest }: HostIncident): Incident => ({
  ...rest,
  ...reasonFields(sentence),
  id: null,
  can_reapply: false,
  affected: [],
  affected_routes: 0,
  affected_connections: 0,
})

/** A tunnel that is both down and not as stored is one incident, and the latter says what to do. */
function tunnelsFound({ watch, monitor, heals }: AttentionDeps): Found[] {
  const found = new Map<number, Found>()
  for (const { tunnel_id, state, reason, reason_message, since } of monitor.summary().tunnels)
    if (state === 'Down' || state === 'Degraded')
      found.set(tunnel_id, {
        ...reasonFields({ ...reason_message, message: reason }),
        kind: 'tunnel',
        id: tunnel_id,
        state: state === 'Down' ? 'down' : 'degraded',
        since,
        can_reapply: false,
      })
  for (const item of watch.entries()) {
    const { tunnel_id, status } = item
    if (tunnel_id === null || !WRONG.includes(status)) continue
    const down = found.get(tunnel_id)
    found.set(tunnel_id, {
      ...reasonFields(sentences(driftOf(item), heals.contest('tunnel', tunnel_id))),
      kind: 'tunnel',
      id: tunnel_id,
      state: down?.state ?? (status === 'Drifted' ? 'degraded' : 'down'),
      since: down?.since ?? watch.noticed(item)?.at ?? null,
      can_reapply: true,
    })
  }
  return [...found.values()]
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { mtu: 'MTU', ttl: 'TTL', tos: 'ToS' }

function driftOf({ interface_name: name, status, diffs }: Item): Message {
  if (status === 'Missing') return message('attention.missing', { name })
  if (status === 'Inconsistent') return message('attention.inconsistent', { name })
  return message('attention.drifted', {
    name,
    fields: diffs.map(({ field }) => message('drift.name', { field: ABBREVIATIONS[field] ?? field })),
  })
}

const rulesFound = ({ routeWatch, heals }: AttentionDeps): Found[] =>
  routeWatch
    .entries()
    .filter(({ status }) => !FINE.includes(status))
    .map((rule) => ({
      ...reasonFields(sentences(rule.sentence as Message, heals.contest('route', rule.key))),
      kind: 'route',
      id: rule.key,
      state: rule.status === 'impaired' || rule.status === 'pending' ? 'degraded' : 'down',
      since: routeWatch.noticed(rule)?.at ?? null,
      can_reapply: rule.isDrifted,
    }))

const reasonFields = (sentence: Message | Found['reason_message']): Pick<Found, 'reason' | 'reason_message'> => ({
  reason: sentence.message,
  reason_message: { ...sentence },
})

/** A rule whose tunnel is an incident is part of that one, unless something is wrong with the rule itself. */
async function withEffects(
  context: ReadContext,
  { traffic }: AttentionDeps,
  found: readonly Found[],
): Promise<Incident[]> {
  const broken = new Set(found.filter(({ kind }) => kind === 'tunnel').map(({ id }) => id))
  const [titles, tunnels, carried] = await Promise.all([
    allTitles(context.db).then((all) => new Map(all.map((one) => [one.route_rule_id, one.route_rule_title]))),
    everyTunnel(context.db).then((all) => new Map(all.map((one) => [one.tunnel_id, one]))),
    rulesOver(context, broken),
  ])
  const takenDown = ({ kind, id }: Found): number[] =>
    kind === 'route' ? [id] : [...carried].filter(([, over]) => over.includes(id)).map(([rule]) => rule)
  return found
    .filter(({ kind, id, state }) => kind === 'tunnel' || state === 'down' || (carried.get(id)?.length ?? 0) === 0)
    .map((one) => {
      const ids = takenDown(one)
      const open = ids.map((id) => traffic.connections(id))
      const tunnel = tunnels.get(one.id)
      return {
        ...one,
        name:
          one.kind === 'route' ? (titles.get(one.id) ?? '') : tunnel?.display_name || (tunnel?.interface_name ?? ''),
        affected: ids.slice(0, NAMED).map((id) => ({ route_rule_id: id, title: titles.get(id) ?? '' })),
        affected_routes: ids.length,
        affected_connections: open.includes(null) ? null : open.reduce<number>((sum, count) => sum + (count ?? 0), 0),
      }
    })
}

/**
 * The rules that relay over each of these tunnels. If there are no tunnels, root is not queried for the paths of all
 * rules.
 */
async function rulesOver(context: ReadContext, tunnels: ReadonlySet<number>): Promise<Map<number, number[]>> {
  if (tunnels.size === 0) return new Map()
  const rules = await routeEnds(context.db)
  const { tunnelsOf } = await readPaths(context, rules)
  return new Map(rules.map((rule) => [rule.route_rule_id, tunnelsOf(rule).filter((id) => tunnels.has(id))]))
}

/** Without the helper nothing can be mended, so it comes first. */
const worstAndLatestFirst = (a: Incident, b: Incident): number =>
  Number(b.state === 'down') - Number(a.state === 'down') ||
  Number(b.kind === 'helper') - Number(a.kind === 'helper') ||
  (b.since ?? '').localeCompare(a.since ?? '')
