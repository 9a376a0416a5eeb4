// Which destinations of rules are in rotation is what the panel knows of them, stored before the kernel is changed. A
// kernel that holds another rotation than the stored one holds an earlier one of the panel: it is rotated, and that is
// no drift.
import type { Logger } from 'pino'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { RelayDestination, RelayRule } from '@panel/shared/ruleset/model.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import { reapplyRules } from '../routes/change.ts'
import { endConnections } from '../routes/end-connections.ts'
import { isAsStored, readKernelRules, type KernelRules } from '../routes/kernel-rules.ts'
import { ruleOf, type RouteRecord } from '../routes/record.ts'
import { routesOf } from '../routes/store.ts'
import type { Accounting } from '../routes/accounting.ts'

interface Settled {
  readonly stored: readonly RouteRecord[]
  readonly held: KernelRules
}

/** Call it inside `inTurn`. A rotation that fails is found again by the next look. */
export async function settleRotation(
  context: Omit<CommandContext, 'note'>,
  traffic: Accounting,
  stored: readonly RouteRecord[],
  scope: 'all' | readonly number[],
  logger: Logger,
): Promise<Settled> {
  const ids = scope === 'all' ? [] : scope
  const held = await readKernelRules(context.request, ids)
  const late = held.is_readable ? stored.filter((record) => isRotationPending(record, held)) : []
  if (late.length === 0) return { stored, held }
  const noted = { ...context, note: new AuditNote() }
  try {
    await reapplyRules(noted, traffic, late, { held })
    for (const record of late)
      if ((await endConnections(noted, record, fallenSince(held, record))) === null)
        logger.warn({ operations: noted.note.operations }, 'connections to destinations that are down are left')
  } catch (err) {
    logger.warn({ err, total: late.length }, 'rules whose destinations went in or out could not be rotated')
  }
  const read = await routesOf(
    context.db,
    stored.map(({ route_rule_id }) => route_rule_id),
  )
  return { stored: read, held: await readKernelRules(context.request, ids) }
}

/** What the kernel gave new connections until now, and is down, or is no address of its name any more. */
function fallenSince({ rules }: KernelRules, { route_rule_id, destinations }: RouteRecord): RelayDestination[] {
  const held = rules.get(route_rule_id)?.destinations ?? []
  return held.filter(({ address, port, rotation }) => {
    const its = destinations.filter((one) => one.address === address && one.port === port)
    return rotation !== 'out' && its.every(({ state }) => state === 'down')
  })
}

/** Whether the kernel holds an earlier rotation of the panel, and the rule otherwise as it is stored. */
export function isRotationPending(record: RouteRecord, held: KernelRules): boolean {
  const [found, wanted] = [held.rules.get(record.route_rule_id), ruleOf(record)]
  if (!wanted || isAsStored(record, held)) return false
  const isNamed = record.destinations.some(({ hostname }) => hostname !== null)
  // A name that resolved for the first time: the rule was closed until then.
  if (!found) return isNamed && record.apply_status_id === APPLY_STATUSES.Pending
  return isNamed
    ? sameState(withoutDestinations(found), withoutDestinations(wanted))
    : sameState(withoutRotation(found), withoutRotation(wanted))
}

/** In the order of the fields that both have. */
const withoutRotation = (rule: RelayRule): RelayRule => ({
  ...rule,
  is_closed: false,
  destinations: rule.destinations.map((one) => ({ ...one, rotation: one.is_backup ? 'standby' : 'in' })),
})

/** Leaves out destinations. The addresses of names are the panel's own knowledge, too. */
const withoutDestinations = ({
  destinations: _where,
  balance: _how,
  is_closed: _whether,
  ...rest
}: RelayRule): object => rest
