// The one source of incidents, from what the background knows already: tunnels that are down or not as stored, relay
// rules that relay nothing, each with what it takes down, and what is wrong with the host itself. What needs attention,
// and the history, are made from it.
import type { Incident } from '@panel/shared/api/incidents.ts'
import { CAUSES, type Hop } from '@panel/shared/api/routes/cause-codes.ts'
import { message, sentences, type Message } from '@panel/shared/messages/message.ts'
import type { Heals } from '../../change/heal.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { HostIncident } from '../../platform/health.ts'
import { remedyView } from '../../platform/http/remedy.ts'
import type { Monitor } from '../monitor/monitor.ts'
import type { Proofs } from '../rule-health/proofs.ts'
import type { RouteWatch } from '../rule-health/watch.ts'
import { readPaths } from '../routes/path/path.ts'
import { allTitles, routeEnds } from '../routes/store.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { everyTunnel } from '../tunnels/store.ts'
import type { Item } from '../reconcile/report.ts'
import type { TunnelWatch } from '../reconcile/watch.ts'

export interface AttentionDeps {
  readonly watch: TunnelWatch
  readonly routeWatch: RouteWatch
  readonly heals: Heals
  readonly monitor: Monitor
  readonly traffic: Pick<Traffic, 'connections'>
  readonly proofs: Pick<Proofs, 'now'>
  /** The helper, the certificate and the disks, of other features. */
  readonly ofHost: (context: ReadContext) => Promise<HostIncident[]>
}

/** So many rules are named of those that an incident takes down. */
const NAMED = 10
const REMEDIES = 12
const WRONG = ['Missing', 'Drifted', 'Inconsistent']

/** An incident without what is stored of it. */
export interface CurrentIncident extends Omit<Incident, 'record'> {
  readonly rules: readonly number[]
}

type Found = Omit<
  CurrentIncident,
  'kind' | 'id' | 'affected' | 'affected_routes' | 'affected_connections' | 'name' | 'rules'
> & {
  readonly kind: 'tunnel' | 'route'
  readonly id: number
  /** Those that the incident is of; none of a tunnel. */
  readonly rules: readonly number[]
  /** Whether all that is wrong with them lies behind this server. */
  readonly isOnPath: boolean
}

/** What is wrong now, worst and latest first; each with all rules that it takes down. */
export async function currentIncidents(context: ReadContext, deps: AttentionDeps): Promise<CurrentIncident[]> {
  const found = [...tunnelsFound(deps), ...rulesFound(deps)]
  const incidents = [
    ...(await deps.ofHost(context)).map(ofHost),
    ...(found.length === 0 ? [] : await withEffects(context, deps, found)),
  ]
  return incidents.sort(worstAndLatestFirst)
}

/** It takes no rule down at once. */
const ofHost = ({ sentence, ...rest }: HostIncident): CurrentIncident => ({
  ...rest,
  ...reasonFields(sentence),
  id: null,
  can_reapply: false,
  remedies: [],
  affected: [],
  affected_routes: 0,
  affected_connections: 0,
  rules: [],
})

const OF_TUNNEL = { rules: [], isOnPath: false, remedies: [] }

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
        ...OF_TUNNEL,
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
      ...OF_TUNNEL,
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

type Watched = ReturnType<RouteWatch['entries']>[number]

/** Rules that one thing takes down, such as a chain of other software, are one incident. */
function rulesFound({ routeWatch, heals }: AttentionDeps): Found[] {
  const wrong = routeWatch.entries().filter((rule) => stateOf(rule) !== null)
  const together = new Map<string, [Watched, ...Watched[]]>()
  for (const rule of wrong) {
    const { code, subject } = rule.headline ?? { code: '', subject: '' }
    const key = subject === '' ? `rule ${rule.key}` : `${code} ${subject}`
    const there = together.get(key)
    if (there) there.push(rule)
    else together.set(key, [rule])
  }
  return [...together].map(([key, rules]) => {
    const [rule] = rules
    /** Part of an incident of its own. */
    const isElsewhere = ({ code, subject }: Watched['causes'][number]): boolean =>
      subject !== '' && `${code} ${subject}` !== key && together.has(`${code} ${subject}`)
    const since = rules.flatMap((one) => routeWatch.noticed(one)?.at ?? []).sort()
    return {
      ...reasonFields(sentences(rule.headline?.sentence ?? rule.sentence, heals.contest('route', rule.key))),
      kind: 'route',
      id: rule.key,
      rules: rules.map(({ key }) => key),
      isOnPath: rules.every(({ causes }) =>
        causes.every((one) => one.effect === 'note' || isBehind(CAUSES[one.code]) || isElsewhere(one)),
      ),
      state: rules.some((one) => stateOf(one) === 'down') ? 'down' : 'degraded',
      since: since[0] ?? null,
      can_reapply: rules.some(({ isDrifted }) => isDrifted),
      remedies: remediesOf(rules).map(remedyView),
    }
  })
}

/** Each rule may need one of its own, such as an accept for its destination. */
function remediesOf(rules: readonly Watched[]): Message[] {
  const all = rules.flatMap(({ headline }) => [...(headline?.remedies ?? [])])
  return [...new Map(all.map((one) => [one.message, one])).values()].slice(0, REMEDIES)
}

/** What may stop packets, and is not known to, is no incident; that a change is open or the rules are unread is one. */
function stateOf({ status, severity }: Watched): Incident['state'] | null {
  if (severity === 'down') return 'down'
  return severity === 'degraded' || status === 'pending' ? 'degraded' : null
}

const isBehind = (hop: Hop): boolean => hop === 'tunnel' || hop === 'far_end' || hop === 'destination'

const reasonFields = (sentence: Message | Found['reason_message']): Pick<Found, 'reason' | 'reason_message'> => ({
  reason: sentence.message,
  reason_message: { ...sentence },
})

/** Rules whose tunnel is an incident are part of that one, unless something is wrong before their packets reach it. */
async function withEffects(
  context: ReadContext,
  { traffic }: AttentionDeps,
  found: readonly Found[],
): Promise<CurrentIncident[]> {
  const broken = new Set(found.filter(({ kind }) => kind === 'tunnel').map(({ id }) => id))
  const [titles, tunnels, carried] = await Promise.all([
    allTitles(context.db).then((all) => new Map(all.map((one) => [one.route_rule_id, one.route_rule_title]))),
    everyTunnel(context.db).then((all) => new Map(all.map((one) => [one.tunnel_id, one]))),
    rulesOver(context, broken),
  ])
  const takenDown = ({ kind, id, rules }: Pick<Found, 'kind' | 'id' | 'rules'>): readonly number[] =>
    kind === 'route' ? rules : [...carried].filter(([, over]) => over.includes(id)).map(([rule]) => rule)
  return found
    .filter(
      ({ kind, rules, isOnPath }) =>
        kind === 'tunnel' || !isOnPath || rules.some((id) => (carried.get(id)?.length ?? 0) === 0),
    )
    .map(({ rules, isOnPath: _, ...one }) => {
      const ids = takenDown({ ...one, rules })
      const open = ids.map((id) => traffic.connections(id))
      const tunnel = tunnels.get(one.id)
      return {
        ...one,
        rules: ids,
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
const worstAndLatestFirst = (a: CurrentIncident, b: CurrentIncident): number =>
  Number(b.state === 'down') - Number(a.state === 'down') ||
  Number(b.kind === 'helper') - Number(a.kind === 'helper') ||
  (b.since ?? '').localeCompare(a.since ?? '')
