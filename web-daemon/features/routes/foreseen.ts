// What a command of relay rules would have root do, as its impact is worked out from it.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { Ended, Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { ReadContext } from '../../platform/context.ts'
import { foreseeForwarding } from '../forwarding/auto.ts'
import { planRules, type WantedRule } from './change.ts'
import { keptEnds } from './drop-connections.ts'
import type { KernelRules } from './kernel-rules.ts'
import { familyOf, type NamedRoute } from './record.ts'

interface Wanted {
  readonly rules: readonly WantedRule[]
  /** Those that shall be in force have forwarding turned on. */
  readonly records: readonly NamedRoute[]
  readonly warnings?: readonly Warning[]
  readonly ended?: Ended | null
  readonly held?: KernelRules
}

export async function foreseeRules(
  context: ReadContext,
  { rules, records, warnings = [], ended = null, held }: Wanted,
): Promise<Foreseen> {
  const { change } = await planRules(context, rules, held)
  return {
    changes: [
      ...(change.before || change.after ? [{ noun: 'route' as const, change }] : []),
      ...(await foreseeSwitches(context, records)),
    ],
    ended: ended ? [ended] : [],
    warnings,
  }
}

/** What turns forwarding on for these once they are in force. Call it before they are changed: it may refuse with 409. */
export function foreseeSwitches(
  context: ReadContext,
  records: readonly NamedRoute[],
): ReturnType<typeof foreseeForwarding> {
  const families = new Set(records.filter(({ is_enabled }) => is_enabled).map(familyOf))
  return foreseeForwarding(context, [...families])
}

/** `after` null: the rule goes. */
export const endedBy = (before: NamedRoute, after: NamedRoute | null, isRequested: boolean | undefined): Ended | null =>
  isRequested === true ? { route_rule_id: before.route_rule_id, kept: keptEnds(after) } : null
