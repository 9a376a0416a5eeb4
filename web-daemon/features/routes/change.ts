// A change of stored rules, from what the kernel holds of them: what the engine carries out, and what a request is
// answered with.
import type { RelayRule, RulesetState } from '@panel/shared/ruleset/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { message } from '@panel/shared/messages/message.ts'
import { converge, update } from '../../change/engine.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { readKernelRules, type KernelRules } from './kernel-rules.ts'
import { ruleOf, type NamedRoute, type RouteRecord } from './record.ts'
import { inTheirOrder, routeResource, type RouteResource } from './resource.ts'
import type { Accounting } from './accounting.ts'

/** `before` is what was found, so a change corrects drift on the way. */
export interface RuleChange {
  readonly resource: RouteResource
  readonly change: Change<RulesetState>
  readonly backend: string
}

interface RulePlan extends Pick<RuleChange, 'change' | 'backend'> {
  /** The rules of which the kernel holds pieces, and which leave. */
  readonly damaged: readonly number[]
}

export interface WantedRule {
  readonly route_rule_id: number
  /** Null: the kernel shall not hold it. */
  readonly rule: RelayRule | null
  /**
   * The stored rule until the change is done. A change that is taken back goes there, and not to what was found: root
   * keeps what it is sent for the next boot, and that is what the operator wants, whatever was done to the kernel by
   * hand.
   */
  readonly stored: RelayRule | null
}

/** What a request can be answered with. */
export interface Changed extends Pick<RuleChange, 'change' | 'backend'> {
  readonly outcome: Outcome
}

/**
 * Plans a change of rules by reading alone. `held` is what the kernel holds of these rules, if that is known already.
 */
export async function planRules(
  { request }: Pick<ReadContext, 'request'>,
  wanted: readonly WantedRule[],
  held?: KernelRules,
): Promise<RulePlan> {
  const found = held ?? (await readKernelRules(request, wanted.map(idOf)))
  refuseUnreadable(found)
  const isDamaged = new Set(found.damaged.map(idOf))
  const damaged = wanted.filter((one) => !one.rule && isDamaged.has(idOf(one))).map(idOf)
  const before = wanted.flatMap((one) => found.rules.get(idOf(one)) ?? [])
  const after = wanted.flatMap(({ rule }) => rule ?? [])
  return { damaged, change: { before: inTheirOrder(before), after: inTheirOrder(after) }, backend: found.backend }
}

export async function changeOf(
  context: CommandContext,
  traffic: Accounting,
  wanted: readonly WantedRule[],
  held?: KernelRules,
): Promise<RuleChange> {
  const { damaged, change, backend } = await planRules(context, wanted, held)
  const about = { damaged, stored: wanted.flatMap(({ stored }) => stored ?? []) }
  return { resource: routeResource(context, traffic, about), change, backend }
}

const idOf = ({ route_rule_id }: { readonly route_rule_id: number }): number => route_rule_id

/** Nothing counts as gone because it cannot be read. */
function refuseUnreadable({ is_readable, detail }: KernelRules): void {
  if (is_readable) return
  throw new Refusal('SERVICE_UNAVAILABLE', message('route.rules_unreadable', { detail }), {
    details: { reason: 'kernel_refused' },
  })
}

/** Takes the kernel to what one rule shall be, and stores that. */
export async function updateRule(
  context: CommandContext,
  traffic: Accounting,
  stored: RouteRecord,
  wanted: NamedRoute,
): Promise<{ readonly record: RouteRecord; readonly changed: Changed }> {
  const { resource, change, backend } = await changeOf(context, traffic, [wantedOf(wanted, stored)])
  const { record, outcome } = await update(context, resource, { stored, wanted, changes: [change] })
  return { record, changed: { change, backend, outcome } }
}

/** Takes the kernel to what is stored of these rules, and takes the orphans out of it. */
export async function reapplyRules(
  context: CommandContext,
  traffic: Accounting,
  rows: readonly RouteRecord[],
  { orphans = [], held }: { readonly orphans?: readonly number[]; readonly held?: KernelRules } = {},
): Promise<Changed> {
  const { resource, change, backend } = await changeOf(context, traffic, wantedAsStored(rows, orphans), held)
  return { change, backend, outcome: await converge(context, resource, { rows, changes: [change] }) }
}

export const wantedAsStored = (rows: readonly RouteRecord[], orphans: readonly number[]): WantedRule[] => [
  ...rows.map((row) => wantedOf(row, row)),
  ...orphans.map((route_rule_id) => ({ route_rule_id, rule: null, stored: null })),
]

/** `stored` is null of a rule that is to be made. */
export const wantedOf = (record: NamedRoute, stored: NamedRoute | null): WantedRule => ({
  route_rule_id: record.route_rule_id,
  rule: ruleOf(record),
  stored: stored && ruleOf(stored),
})
