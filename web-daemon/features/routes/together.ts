// Many rules made or deleted by one change of the host, as a file or a restore has them (decisions.md, V8).
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { CreateRouteBody, EndRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { createTogether, remove } from '../../change/engine.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import { readingOnce } from '../../platform/helper/reading-once.ts'
import type { Part, Together, TogetherBody } from '../../platform/http/endpoint.ts'
import { isFinal, orRefusal, Refusal } from '../../platform/http/refusal.ts'
import type { Accounting } from './accounting.ts'
import { changeOf, wantedOf } from './change.ts'
import { absent } from './delete.ts'
import { draftRoute } from './draft/draft.ts'
import { dropConnections } from './drop-connections.ts'
import { foreseeSwitches } from './foreseen.ts'
import { preparePath } from './path/path-check.ts'
import type { RouteRecord } from './record.ts'
import { routeRecords } from './resource.ts'
import { routesOf } from './store.ts'
import { targetOf } from './target.ts'

export const createRoutes =
  (traffic: Accounting): Together<CreateRouteBody> =>
  (outer, parts) =>
    outer.inTurn(async () => {
      const context = { ...outer, note: new AuditNote() }
      const drafting = readingOnceFor(context)
      const warnings = new Map<number, readonly Warning[]>()
      const drafts = parts.map(({ incoming }) => async () => {
        // SQLite blocks the thread while it works; other requests are served between two drafts.
        await new Promise((resolve) => setImmediate(resolve))
        const drafted = await draftRoute(drafting, incoming)
        await foreseeSwitches(drafting, [drafted.record])
        warnings.set(drafted.record.route_rule_id, drafted.warnings)
        return drafted.record
      })
      const plan = async (rows: readonly RouteRecord[]) => {
        const wanted = rows.map((row) => wantedOf(row, null))
        const { resource, change } = await changeOf(context, traffic, wanted)
        return { resource, changes: [change] }
      }
      const creation = createTogether(context, routeRecords(context, traffic), { drafts, plan })
      const made = await nullIfPutBack(context, creation, () => [...warnings.keys()])
      const preparing = readingOnceFor(context)
      return ended(context, parts, made, async (one, { note }) => [
        ...(warnings.get(one.route_rule_id) ?? []),
        ...(await preparePath({ ...preparing, note }, one)),
      ])
    })

export const deleteRoutes =
  (traffic: Accounting): Together<EndRouteBody> =>
  (outer, parts) =>
    outer.inTurn(async () => {
      const context = { ...outer, note: new AuditNote() }
      const found: (RouteRecord | Refusal)[] = []
      for (const { incoming, note } of parts)
        found.push(await targetOf({ ...context, note }, incoming.params).catch(orRefusal))
      const rows = found.flatMap((one) => (one instanceof Refusal ? [] : [one]))
      if (rows.length === 0) return ended(context, parts, found, async () => [])
      const ids = rows.map(({ route_rule_id }) => route_rule_id)
      const { resource, change } = await changeOf(context, traffic, rows.map(absent))
      const removal = remove(context, resource, { rows, changes: [change] }).then(() => found)
      return ended(
        context,
        parts,
        await nullIfPutBack(context, removal, () => ids),
        async (one, { incoming, note }) => {
          const { warnings } = await dropConnections({ ...context, note }, one, null, incoming.body.drop_connections)
          return warnings
        },
      )
    })

const readingOnceFor = (context: CommandContext): CommandContext => ({
  ...context,
  request: readingOnce(context.request),
})

/** Null where all rules are as they were; throws where that is not so, or not known. */
async function nullIfPutBack<T>(
  { db }: CommandContext,
  work: Promise<T>,
  idsOf: () => readonly number[],
): Promise<T | null> {
  return work.catch(async (failure: unknown) => {
    if (!(failure instanceof Refusal) || isFinal(failure)) throw failure
    const left: readonly number[] = [APPLY_STATUSES.Pending, APPLY_STATUSES.Inconsistent]
    if ((await routesOf(db, idsOf())).some(({ apply_status_id }) => left.includes(apply_status_id))) throw failure
    return null
  })
}

/** What is answered of each; the change stands in the audit entry of each. */
async function ended<B>(
  { note: { operations } }: CommandContext,
  parts: readonly Part<B>[],
  all: readonly (RouteRecord | Refusal)[] | null,
  warningsOf: (one: RouteRecord, part: Part<B>) => Promise<readonly Warning[]>,
): Promise<(Refusal | TogetherBody)[] | null> {
  const ends: (Refusal | TogetherBody)[] = []
  for (const [at, part] of parts.entries()) {
    const one = all?.[at]
    if (!one) return null
    if (one instanceof Refusal) {
      ends.push(one)
      continue
    }
    const { route_rule_id, route_rule_title } = one
    part.note.target('route', route_rule_id)
    for (const operation of operations) part.note.operation(operation)
    ends.push({ warnings: await warningsOf(one, part), route: { route_rule_id, route_rule_title } })
  }
  return ends
}
