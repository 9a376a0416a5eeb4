// What root does for the lines of METHODS that speak of relay rules.
import { MAX_LINE_BYTES } from '@panel/shared/rpc/framing.ts'
import type { RelayCounters, RulesetState } from '@panel/shared/ruleset/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { failuresOf } from '@panel/shared/change/check.ts'
import type { Params, Result } from '@panel/shared/rpc/methods.ts'
import { KernelError, type Rulesets } from '../../kernel/facilities.ts'
import type { Journal } from '../../subject.ts'
import { Transaction } from '../../transaction.ts'
import { rulesetSubject } from './subject.ts'

/** A page leaves room for the envelope and for what is beside its list. */
const PAGE_BYTES = MAX_LINE_BYTES / 2

export async function probeRuleset(
  rulesets: Rulesets,
  asked: Params<'ruleset.probe'>,
): Promise<Result<'ruleset.probe'>> {
  const held = await rulesets.read()
  const { items, next_id } = page([...held.rules].sort(byId), asked)
  return {
    ...held,
    rules: items,
    damaged: held.damaged.slice(0, 1000),
    unmanaged: held.unmanaged.slice(0, 1000),
    next_id,
  }
}

export async function readCounters(
  rulesets: Rulesets,
  asked: Params<'ruleset.counters'>,
): Promise<Result<'ruleset.counters'>> {
  try {
    const { epoch, counters } = await rulesets.counters()
    const { items, next_id } = page(counters, asked)
    return { is_readable: true, detail: '', epoch, counters: items, next_id }
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    return { is_readable: false, detail: error.message.slice(0, 300), epoch: '', counters: [], next_id: null }
  }
}

export async function verifyRuleset(
  rulesets: Rulesets,
  asked: Change<RulesetState>,
): Promise<Result<'ruleset.verify'>> {
  const subject = rulesetSubject(rulesets, () => undefined)
  const checks = subject.check(asked, subject.canonical(asked.after), (await subject.probe(asked)).state)
  return { ok: failuresOf(checks).length === 0, checks }
}

export async function applyRuleset(
  rulesets: Rulesets,
  journal: Journal,
  asked: Change<RulesetState>,
): Promise<Result<'ruleset.apply'>> {
  const last_counters: RelayCounters[] = []
  const outcome = await new Transaction(
    rulesetSubject(rulesets, (last) => last_counters.push(...last)),
    journal,
  ).apply(asked)
  return { ...outcome, last_counters }
}

export async function forgetRules(
  rulesets: Rulesets,
  { route_rule_ids }: Params<'ruleset.forget'>,
): Promise<Result<'ruleset.forget'>> {
  await rulesets.submit(route_rule_ids, [])
  return { last_counters: await rulesets.removeCounters(route_rule_ids) }
}

interface Numbered {
  readonly route_rule_id: number
}

const byId = (a: Numbered, b: Numbered): number => a.route_rule_id - b.route_rule_id

/** As many as a line holds, in the order of their ids. */
function page<T extends Numbered>(
  all: readonly T[],
  { route_rule_ids, from_id }: Params<'ruleset.probe'>,
): { items: T[]; next_id: number | null } {
  const wanted = new Set(route_rule_ids)
  const items: T[] = []
  let bytes = 0
  for (const item of all) {
    if (item.route_rule_id < from_id || (wanted.size > 0 && !wanted.has(item.route_rule_id))) continue
    bytes += JSON.stringify(item).length
    if (bytes > PAGE_BYTES) return { items, next_id: item.route_rule_id }
    items.push(item)
  }
  return { items, next_id: null }
}
