// How much the relay rules of a host may be together: root reads its table whole, and one too large would end it.
import { message } from '@panel/shared/messages/message.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { ELEMENTS_MAX, elementsOf } from '@panel/shared/ruleset/elements.ts'
import { RefusedError } from '../../refused.ts'

/** A change that makes it no more is allowed whatever there is, so that there is a way back. */
export function allowAmount(
  held: readonly RelayRule[],
  gone: ReadonlySet<number>,
  wanted: readonly RelayRule[],
  most = ELEMENTS_MAX,
): void {
  const more = sum(wanted) - sum(held.filter(({ route_rule_id }) => gone.has(route_rule_id)))
  if (more <= 0) return
  const after = sum(held) + more
  if (after > most) throw new RefusedError('unsupported', message('root.amount', { count: after, most }))
}

const sum = (rules: readonly RelayRule[]): number => rules.reduce((all, rule) => all + elementsOf(rule), 0)
