// Compares the kernel's rules to the stored ones: the part of reconciliation that concerns relay rules (reference.md,
// Reconcile; decisions.md, S11).
import { APPLY_STATUSES, RECONCILE_STATUSES, type ReconcileStatus } from '@panel/shared/api/base/lookups.ts'
import type { RouteFinding, RouteFindings } from '@panel/shared/api/routes/findings.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import type { ForwardingState } from '@panel/shared/forwarding/model.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { takenBy } from '@panel/shared/foreign/relay-block.ts'
import { failedChecks } from '@panel/shared/change/check.ts'
import { checkRuleset } from '@panel/shared/ruleset/facts.ts'
import type { Heals } from '../../change/heal.ts'
import type { ReadContext } from '../../platform/context.ts'
import { foreignRules } from '../forwarding/foreign.ts'
import { readKernelRules, type KernelRules } from '../routes/kernel-rules.ts'
import { portsOf, spelledEnd } from '../routes/ports.ts'
import { ruleOf, type RouteRecord } from '../routes/record.ts'
import { isRotationPending } from '../failover/rotation.ts'
import { findCovers, shadowsAmong, type Cover } from './shadows.ts'
import { fromRoot, message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import { allRoutes } from '../routes/store.ts'

/** Throws 503 if the helper is away: then nothing is known. */
export async function routeFindings(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  heals: Heals,
): Promise<RouteFindings> {
  const [stored, held, forwarding, foreign, covers] = await Promise.all([
    allRoutes(db),
    readKernelRules(request),
    request('forwarding.probe', {}),
    foreignRules(request),
    findCovers(db, null),
  ])
  const enabled = stored.filter(({ is_enabled }) => is_enabled)
  const routes = held.is_readable ? [...storedRules(stored, held, covers, heals), ...orphanRules(stored, held)] : []
  const foreignShadows = shadowedByForeign(enabled, foreign)
  const notes = [
    ...(foreign.is_readable ? [] : [fromRoot(foreign.detail)]),
    ...held.unmanaged.map((text) => message('drift.of_no_rule', { text })),
  ]
  return {
    routes,
    route_counts: countByStatus(routes),
    route_findings: {
      backend: held.backend,
      readable: held.is_readable,
      ...messageFields('detail', fromRoot(held.is_readable ? '' : held.detail)),
      enabled_rules: enabled.length,
      ...forwardingFindings(forwarding.state, enabled),
      // Null for nft, whose chains are hooks themselves.
      missing_jumps: held.missing_jumps ?? [],
      foreign_readable: foreign.is_readable,
      foreign_managers: foreign.managers,
      foreign_shadows: foreignShadows.map(({ message: text }) => text),
      foreign_shadow_messages: foreignShadows,
      notes: notes.map(({ message: text }) => text),
      note_messages: notes,
    },
  }
}

const storedRules = (
  stored: readonly RouteRecord[],
  held: KernelRules,
  covers: Awaited<ReturnType<typeof findCovers>>,
  heals: Heals,
): RouteFinding[] =>
  stored.map((record) => ({
    ...compareRule(record, held, covers.get(record.route_rule_id) ?? []),
    heal: heals.view('route', record.route_rule_id, record.is_self_heal),
  }))

function countByStatus(routes: readonly RouteFinding[]): RouteFindings['route_counts'] {
  const counts: RouteFindings['route_counts'] = {}
  for (const { status } of routes) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Forwarding counts as enabled if every family that an enabled rule listens on is forwarded. */
function forwardingFindings({ live, saved }: ForwardingState, enabled: readonly RouteRecord[]) {
  const needs = { ipv4: enabled.some(isFamily(4)), ipv6: enabled.some(isFamily(6)) }
  return {
    ip_forwarding_enabled:
      (!needs.ipv4 || live.ipv4) && (!needs.ipv6 || live.ipv6) && (live.ipv4 || live.ipv6 || enabled.length > 0),
    ip_forwarding_expected: enabled.length > 0,
    ip_forwarding_panel_managed: saved !== null,
  }
}

/** Reported only; the panel does not change foreign rules. */
const FOREIGN_SHADOWS_MAX = 100

function shadowedByForeign(enabled: readonly RouteRecord[], foreign: ForeignFound): Message[] {
  const shadowed = enabled.flatMap((record) => {
    const rule = ruleOf(record)
    return rule
      ? takenBy(rule, foreign).map(({ table, chain, text }) =>
          message('drift.foreign_shadow', { table, chain, rule: ruleNamed(record), text }),
        )
      : []
  })
  return shadowed.slice(0, FOREIGN_SHADOWS_MAX)
}

const isFamily =
  (family: 4 | 6) =>
  ({ bind_address }: RouteRecord): boolean =>
    (bind_address.includes(':') ? 6 : 4) === family

function compareRule(record: RouteRecord, held: KernelRules, covers: readonly Cover[]): Omit<RouteFinding, 'heal'> {
  const shadows = shadowsAmong(covers)
  const { route_rule_id, route_rule_title: title } = record
  const [desired, actual] = [ruleOf(record), held.rules.get(route_rule_id) ?? null]
  const damage = held.damaged.find((one) => one.route_rule_id === route_rule_id)?.detail
  const isPending = held.is_readable && isRotationPending(record, held)
  const diffs =
    desired && actual && !isPending && !sameState(desired, actual)
      ? failedChecks(checkRuleset([route_rule_id], [desired], [actual]))
      : []
  const stray = held.unmanaged[0]
  const { status, sentence } = classify(record, { desired, actual, damage, stray, diffs: diffs.length, isPending })
  return {
    route_rule_id,
    title,
    status,
    reconcile_status_id: RECONCILE_STATUSES[status],
    ...messageFields(
      'detail',
      shadows.length === 0
        ? sentence
        : message('drift.rule_never_matches', {
            text: sentence,
            rules: shadows.map(ruleNamed),
          }),
    ),
    actions: ['reapply', 'delete'],
    expected_rules: desired ? 1 : 0,
    installed_rules: actual ? 1 : 0,
    diffs: diffs.map(({ name, expected, actual }) => ({
      field: name.slice(name.indexOf('.') + 1),
      desired: expected,
      actual,
    })),
    shadows: shadows.map((one) => one.route_rule_id),
    covered_by: covers.map(({ rule }) => rule.route_rule_id),
  }
}

interface Compared {
  readonly desired: RelayRule | null
  readonly actual: RelayRule | null
  readonly damage: string | undefined
  /** Foreign pieces in the table. */
  readonly stray: string | undefined
  readonly diffs: number
  /** The next look rotates it. */
  readonly isPending: boolean
}

const lastError = ({ last_apply_error_message: why }: RouteRecord): Message =>
  why.message === '' ? message('health.reapply') : why

function classify(
  record: RouteRecord,
  { desired, actual, damage, stray, diffs, isPending }: Compared,
): { status: ReconcileStatus; sentence: Message } {
  if (record.apply_status_id === APPLY_STATUSES.Inconsistent)
    return { status: 'Inconsistent', sentence: message('drift.rule_stuck', { why: lastError(record) }) }
  if (damage !== undefined)
    return { status: 'Drifted', sentence: message('drift.rule_in_part', { why: fromRoot(damage) }) }
  if (!desired)
    return actual
      ? { status: 'Drifted', sentence: message('drift.rule_disabled_held') }
      : { status: 'InSync', sentence: message('drift.rule_disabled') }
  if (!actual && !isPending) return { status: 'Missing', sentence: message('drift.rule_missing') }
  if (diffs === 0 && stray !== undefined)
    return { status: 'Drifted', sentence: message('drift.rule_stray', { what: stray }) }
  return diffs === 0
    ? { status: 'InSync', sentence: message(isPending ? 'drift.rule_rotates' : 'drift.rule_in_sync') }
    : { status: 'Drifted', sentence: message('drift.rule_differs') }
}

/** Rules in the panel's own table that are not in the store. */
function orphanRules(stored: readonly RouteRecord[], { rules, damaged }: KernelRules): RouteFinding[] {
  const storedIds = new Set(stored.map(({ route_rule_id }) => route_rule_id))
  const complete = [...rules.values()]
    .filter(({ route_rule_id }) => !storedIds.has(route_rule_id))
    .map((rule) =>
      orphanFinding(
        rule.route_rule_id,
        spelledEnd(rule.bind_address, portsOf(rule.bind_port, rule.bind_port_range_end)),
        1,
      ),
    )
  const pieces = damaged
    .filter(({ route_rule_id }) => !storedIds.has(route_rule_id))
    .map(({ route_rule_id, detail }) => orphanFinding(route_rule_id, detail, 0))
  return [...complete, ...pieces]
}

const orphanFinding = (route_rule_id: number, what: string, installed_rules: number): RouteFinding => ({
  route_rule_id,
  title: '',
  status: 'Unmanaged',
  reconcile_status_id: RECONCILE_STATUSES.Unmanaged,
  ...messageFields('detail', message('drift.rule_unknown', { what })),
  actions: [],
  expected_rules: 0,
  installed_rules,
  diffs: [],
  heal: null,
  shadows: [],
  covered_by: [],
})
