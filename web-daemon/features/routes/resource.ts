// Relay rules as a resource of the engine: root changes many in one transaction, and no byte that they counted is lost.
import { message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import { RULES_PER_CHANGE_MAX, type RelayRule, type RulesetState } from '@panel/shared/ruleset/model.ts'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { Resource } from '../../change/resource.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { NamedRoute, RouteRecord } from './record.ts'
import { storedRoute } from './store.ts'
import { insertRoute, markApplied, markDeleted, removeRoute, replaceRoute } from './store-write.ts'
import type { Accounting } from './accounting.ts'

export type RouteResource = Resource<RouteRecord, NamedRoute, RulesetState>

type Context = Pick<CommandContext, 'db' | 'request' | 'note' | 'publish'>

/** The rules of one change. */
interface AboutRules {
  /** The kernel holds pieces of them. They have no state that a change could name, so root forgets them first. */
  readonly damaged: readonly number[]
  /** The rules in the store until the change is done. */
  readonly stored: readonly RelayRule[]
}

export function routeResource(
  context: Context,
  traffic: Accounting,
  { damaged, stored }: AboutRules = { damaged: [], stored: [] },
): RouteResource {
  return {
    ...routeRecords(context, traffic),
    apply: applyWith(context, traffic, damaged),
    verify: (change) => verifyWith(context, damaged, change),
    split,
    undo: (change) => toStored(change, stored),
    describe,
    codes: { restored: 'FORWARDING_APPLY_FAILED', stuck: 'FORWARDING_RULES_INCONSISTENT' },
  }
}

/** The part of the resource that is about their records. */
export function routeRecords(
  { db, publish }: Pick<Context, 'db' | 'publish'>,
  traffic: Accounting,
): Pick<RouteResource, 'noun' | 'idOf' | 'store' | 'onStored'> {
  return {
    noun: 'route',
    idOf: ({ route_rule_id }) => route_rule_id,
    store: {
      insert: async (transaction, draft) => {
        await insertRoute(transaction, draft)
        return draft.route_rule_id
      },
      replace: (transaction, _id, draft) => replaceRoute(transaction, draft),
      remove: async (transaction, route_rule_id) => {
        await removeRoute(transaction, route_rule_id)
        await traffic.forget(route_rule_id)
      },
      markDeleted,
      mark: markApplied,
      read: (route_rule_id) => storedRoute(db, route_rule_id),
    },
    onStored: (event, rows) => {
      if (event !== 'settled')
        publish('routes.changed', { route_rule_ids: rows.map(({ route_rule_id }) => route_rule_id) })
    },
  }
}

function toStored({ before, after }: Change<RulesetState>, stored: readonly RelayRule[]): Change<RulesetState> {
  const ids = new Set([...(before ?? []), ...(after ?? [])].map(({ route_rule_id }) => route_rule_id))
  const wanted = inTheirOrder(stored.filter(({ route_rule_id }) => ids.has(route_rule_id)))
  return sameState(after, wanted) ? { before: null, after: null } : { before: after, after: wanted }
}

function describe(rows: readonly NamedRoute[]) {
  const [first] = rows
  if (rows.length === 1 && first)
    return {
      what: message('object.the_rule', { rule: ruleNamed(first) }),
      details: { route_rule_id: first.route_rule_id },
    }
  return {
    what: message('object.rules', { count: rows.length }),
    details: { route_rule_ids: rows.map(({ route_rule_id }) => route_rule_id) },
  }
}

/** What a change takes away is counted for the last time by root, and added to the totals here. */
const applyWith =
  ({ request, note }: Context, traffic: Accounting, damaged: readonly number[]) =>
  (change: Change<RulesetState>): Promise<Outcome> =>
    traffic.whileChanging(async (counted) => {
      if (damaged.length > 0) {
        const { last_counters } = await request('ruleset.forget', { route_rule_ids: [...damaged] })
        counted(last_counters)
        note.operation('ruleset_forget')
      }
      if (!change.before && !change.after) return NOTHING_TO_DO
      const { last_counters, ...outcome } = await request('ruleset.apply', change)
      counted(last_counters)
      return outcome
    })

/** A change with neither state is about pieces alone: it is done once there are none. */
async function verifyWith(
  { request }: Context,
  damaged: readonly number[],
  change: Change<RulesetState>,
): ReturnType<RouteResource['verify']> {
  if (change.before || change.after) return request('ruleset.verify', change)
  const held = await request('ruleset.probe', { route_rule_ids: [...damaged], from_id: 0 })
  return { ok: !held.damaged.some(({ route_rule_id }) => damaged.includes(route_rule_id)), checks: [] }
}

const NOTHING_TO_DO: Outcome = { outcome: 'applied', checks: [], steps: [], failure: null, remediation: [] }

/** Half of what one line to root may hold, since it carries the state before and the one after. */
const PIECE_BYTES = 1_500_000

/** Splits a change into as few as their sizes allow: one, but for thousands of rules. */
function split(change: Change<RulesetState>): Change<RulesetState>[] {
  const [founds, wanteds] = [rulesById(change.before), rulesById(change.after)]
  const pieces: { before: RelayRule[]; after: RelayRule[] }[] = [{ before: [], after: [] }]
  let bytes = 0
  for (const id of new Set([...founds.keys(), ...wanteds.keys()])) {
    const [found, wanted] = [founds.get(id), wanteds.get(id)]
    const size = Math.max(JSON.stringify(found ?? null).length, JSON.stringify(wanted ?? null).length)
    if (isFull(pieces.at(-1)) || bytes + size > PIECE_BYTES) {
      pieces.push({ before: [], after: [] })
      bytes = 0
    }
    bytes += size
    if (found) pieces.at(-1)?.before.push(found)
    if (wanted) pieces.at(-1)?.after.push(wanted)
  }
  return pieces.map((piece) => ({ before: inTheirOrder(piece.before), after: inTheirOrder(piece.after) }))
}

const isFull = (piece: { before: RelayRule[]; after: RelayRule[] } | undefined): boolean =>
  Math.max(piece?.before.length ?? 0, piece?.after.length ?? 0) >= RULES_PER_CHANGE_MAX

const rulesById = (rules: RulesetState | null): ReadonlyMap<number, RelayRule> =>
  new Map((rules ?? []).map((rule) => [rule.route_rule_id, rule]))

/** Each is canonical already. */
export const inTheirOrder = (rules: readonly RelayRule[]): RulesetState | null => rulesOrNull([...rules].sort(inOrder))
