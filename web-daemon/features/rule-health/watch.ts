// The relay rules in the background: how each is, whether the kernel holds it as it is stored, and reapplied where the
// operator wants that (decisions.md, S7, S15, E2).
import type { Logger } from 'pino'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { PanelEvents } from '../../platform/events/bus.ts'
import type { RouteHealthState } from '@panel/shared/api/routes/answers.ts'
import type { HostEvent } from '@panel/shared/events/model.ts'
import { ROUTE_RULE_ID_MAX } from '@panel/shared/ruleset/model.ts'
import type { Severity } from '@panel/shared/api/base/severity.ts'
import type { Proof } from '@panel/shared/api/routes/causes.ts'
import { commandsIn, message, sentences, type Message } from '@panel/shared/messages/message.ts'
import { DriftWatch, type DriftSource, type Look, type StatusChange } from '../../change/drift.ts'
import { settle } from '../../change/engine.ts'
import { makeRemediation, type RemediationDeps, type Watched } from '../../change/remediate.ts'
import { keepComparing, type Schedule, type ScheduleDeps } from '../../change/schedule.ts'
import { REST_FACTOR } from '../../change/rest.ts'
import type { CommandContext } from '../../platform/context.ts'
import { foreignRules } from '../forwarding/foreign.ts'
import { isAsStored, type KernelRules } from '../routes/kernel-rules.ts'
import { reapplyByItself } from '../routes/life.ts'
import { rotationOf, type RouteRecord } from '../routes/record.ts'
import { settleRotation } from '../failover/rotation.ts'
import { routeRecords } from '../routes/resource.ts'
import { readPaths, rememberRoutes } from '../routes/path/path.ts'
import { enabledIds } from '../routes/store.ts'
import { KnownRoutes } from '../routes/store-known.ts'
import type { Accounting } from '../routes/accounting.ts'
import type { Cause } from './cause.ts'
import type { AlreadyRead } from './facts.ts'
import { judgeRules } from './health.ts'
import type { Proofs } from './proofs.ts'

/** What may have changed: all rules, those that relay over a tunnel or are bound to an interface, or some by their ids. */
export type Hint = 'all' | 'links' | readonly number[]

/** A rule under its id. */
interface Rule {
  readonly key: number
  readonly status: RouteHealthState
  readonly severity: Severity
  readonly proof: Proof
  readonly causes: readonly Cause[]
  /** The one that its state comes from. */
  readonly headline: Cause | null
  /** How bad it is, and which of its destinations are in rotation. */
  readonly variant: string
  readonly title: string
  readonly detail: string
  readonly sentence: Message
  readonly isDrifted: boolean
  readonly is_self_heal: boolean | null
}

export type RouteWatch = DriftWatch<number, Rule, Hint>

export function makeRouteWatch(deps: RemediationDeps, traffic: Accounting, proofs: Proofs): RouteWatch {
  const { remediate, dueIn, isReady } = makeRemediation<Watched>(deps, {
    noun: 'route',
    action: 'RouteReapply',
    // All go back in one change, however many they are.
    together: (items) => [items],
    describe: (items) =>
      items.length === 1
        ? 'the kernel did not hold the rule as it is stored'
        : `the kernel did not hold ${items.length} rules as they are stored`,
    reapply: (context, ids) => reapplyByItself(context, traffic, ids),
  })
  const stored = new KnownRoutes(deps.db)
  const source: DriftSource<number, Rule, Hint> = {
    noun: 'routes',
    look: (hints, unexpected) => lookAt({ ...deps, traffic, proofs, stored }, hints, unexpected),
    isExpected: ({ severity }) => severity === 'ok',
    publish: ({ changes }) => {
      for (const change of changes) for (const event of healthEvent(change)) deps.publish('route.health', event)
    },
    publishFirst: (changes) => deps.publish('route.first', { rules: changes.flatMap(healthEvent) }),
    remediate: (rules) => remediate(rules.map(({ key: id, ...rule }) => ({ id, ...rule }))),
    dueIn,
    isUrgent: async (hints) => hints.includes('all') && isReady() && (await isTableGone(deps)),
  }
  return new DriftWatch(deps, source, deps.logger)
}

/** Returns the function that ends it. */
export const keepWatchingRoutes = (
  watch: Pick<RouteWatch, 'pass' | 'hint'> & Partial<Pick<RouteWatch, 'dueIn' | 'isUrgent'>>,
  deps: ScheduleDeps,
): (() => Promise<void>) => keepComparing(watch, { ...deps, subscribe, rest_factor: REST_FACTOR })

const subscribe: Schedule<Hint>['subscribe'] = (bus, prompt) => [
  bus.subscribe('host.changed', ({ events }) => {
    const hints = hintsIn(events)
    if (hints.length > 0) prompt('event', hints)
  }),
  bus.subscribe('heal.reset', () => prompt('change', ['all'])),
  bus.subscribe('routes.changed', ({ route_rule_ids }) => prompt('change', [route_rule_ids])),
  ...(['traffic.evidence', 'name.changed'] as const).map((name) =>
    bus.subscribe(name, ({ route_rule_ids }) => prompt('event', [route_rule_ids])),
  ),
  ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const).map((name) =>
    bus.subscribe(name, () => prompt('change', ['links'])),
  ),
]

/** An address may be the one that a rule listens on, and a route or a setting may concern the path of any rule. */
const ABOUT_ALL = ['lost', 'ruleset', 'address', 'route', 'setting'] as const

function hintsIn(events: readonly HostEvent[]): Hint[] {
  const subjects = new Set(events.map(({ subject }) => subject))
  if (ABOUT_ALL.some((subject) => subjects.has(subject))) return ['all']
  return subjects.has('link') ? ['links'] : []
}

type Context = Omit<CommandContext, 'note'> & Pick<RemediationDeps, 'record'>

interface LookContext extends Context {
  readonly traffic: Accounting
  readonly proofs: Proofs
  readonly stored: KnownRoutes
  readonly logger: Logger
}

/** Whether the whole table is gone, and with it everything that is relayed. */
async function isTableGone({ db, request }: Pick<Context, 'db' | 'request'>): Promise<boolean> {
  if ((await enabledIds(db)).length === 0) return false
  // No rule has the last id, so only messages about all of them come.
  const held = await request('ruleset.probe', { route_rule_ids: [], from_id: ROUTE_RULE_ID_MAX })
  return held.is_readable && !held.is_present
}

/** Without a hint, all rules are looked at. */
async function lookAt(
  context: LookContext,
  hints: ReadonlySet<Hint>,
  unexpected: readonly number[] | null,
): Promise<Look<number, Rule>> {
  const { request, traffic, logger } = context
  // While root is away nothing is known: that is no health of a rule.
  await request('host.probe', { parts: [] })
  const all = await context.stored.all()
  const paths = await readPaths(context, all, { withDevices: true })
  await rememberRoutes(context, all, paths)
  // Also without a rule: the preview of the first one goes by what was read last.
  const foreign = await foreignRules(request)
  const isAll = unexpected === null || hints.size === 0 || hints.has('all')
  const scope = isAll
    ? 'all'
    : idsIn(hints, unexpected, () =>
        all.filter((rule) => rule.bind_interface !== null || paths.tunnelsOf(rule).length > 0),
      )
  const concerned = scope === 'all' ? all : among(all, scope)
  if (concerned.length === 0) return { items: [], scope }
  const { stored, held } = await settleRotation(context, traffic, concerned, scope, logger)
  const records = await settle(
    context,
    routeRecords(context, traffic),
    stored,
    (row) => held.is_readable && isAsStored(row, held),
  )
  return { items: await rulesFrom(context, records, { rules: held, paths, foreign }), scope }
}

function among(all: readonly RouteRecord[], ids: readonly number[]): RouteRecord[] {
  const wanted = new Set(ids)
  return all.filter(({ route_rule_id }) => wanted.has(route_rule_id))
}

function idsIn(
  hints: ReadonlySet<Hint>,
  unexpected: readonly number[],
  overLinks: () => readonly { readonly route_rule_id: number }[],
): number[] {
  const named = [...hints].flatMap((hint) => (typeof hint === 'string' ? [] : [...hint]))
  const over = hints.has('links') ? overLinks().map(({ route_rule_id }) => route_rule_id) : []
  return [...new Set([...named, ...over, ...unexpected])]
}

async function rulesFrom(
  context: LookContext,
  records: readonly RouteRecord[],
  read: AlreadyRead & { readonly rules: KernelRules },
): Promise<Rule[]> {
  const judged = await judgeRules(context, context.proofs, records, read)
  return judged.map(({ record, state, severity, sentence, headline, causes, proof }) => ({
    key: record.route_rule_id,
    title: record.route_rule_title,
    is_self_heal: record.is_self_heal,
    status: state,
    severity,
    proof,
    headline,
    causes,
    variant: [severity, ...record.destinations.map((one) => rotationOf(one))].join(),
    detail: sentence.message,
    sentence,
    isDrifted: isDrifted(record, read.rules),
  }))
}

/** What could not be undone is for the operator to look at. */
const isDrifted = (record: RouteRecord, held: KernelRules): boolean =>
  held.is_readable &&
  record.apply_status_id !== APPLY_STATUSES.Inconsistent &&
  (!isAsStored(record, held) || (record.is_enabled && held.unmanaged.length > 0))

function healthEvent({ from, to }: StatusChange<Rule>): PanelEvents['route.health'][] {
  const rule = to ?? from
  if (!rule) return []
  const detail_message = to ? withCommands(to) : message('health.deleted')
  const detail = detail_message.message
  return [
    {
      route_rule_id: rule.key,
      title: rule.title,
      from: from?.status ?? null,
      to: to?.status ?? null,
      severity: to?.severity ?? null,
      detail,
      detail_message,
      cause: causeOf(to),
    },
  ]
}

/** Null of a cause that is the rule's own. */
function causeOf(rule: Rule | null): PanelEvents['route.health']['cause'] {
  if (!rule?.headline || rule.headline.subject === '') return null
  const { code, subject, sentence, remedies } = rule.headline
  const toRun = remedies.filter((remedy) => commandsIn(remedy).length > 0)
  return { key: `${code} ${subject}`, sentence, remedies: toRun }
}

/** A notification has no field for what to run. */
const withCommands = ({ sentence, headline }: Rule): Message =>
  sentences(sentence, ...(headline?.remedies ?? []).filter((remedy) => commandsIn(remedy).length > 0))
