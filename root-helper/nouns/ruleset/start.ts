// Relay rules when the helper starts: relaying begins before the web daemon does, and without it.
import { verbatim } from '@panel/shared/messages/message.ts'
import { ruleLimits } from '@panel/shared/ruleset/backend.ts'
import { canonicalRule } from '@panel/shared/ruleset/canonical.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { HeldRuleset, Kernel } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { RefusedError } from '../../refused.ts'
import type { Journal } from '../../subject.ts'
import { Transaction } from '../../transaction.ts'
import { handoverSubject } from './handover.ts'
import { hostRules, rulesetSubject } from './subject.ts'
import { messageOf } from '../../text.ts'

type RuleKernel = Pick<Kernel, 'rulesets' | 'ruleBackends'>

/** Ask before anything is put back: afterwards the table is there, and may hold only what was put back. */
export async function holdsRules({ rulesets }: Pick<Kernel, 'rulesets'>): Promise<boolean> {
  return (await rulesets.read()).is_present
}

/**
 * Afterwards the active backend, and no other, holds the rules that boot brings back. A failure is logged, and the
 * helper serves all the same. `hadTable`: whether there was a table of ours before an earlier change was put back.
 */
export async function startRules(kernel: RuleKernel, journal: Journal, hadTable = true): Promise<void> {
  try {
    const { active, recorded } = kernel.ruleBackends
    if (active.active === 'none') return
    const isSame = recorded() === active.active
    if (isSame) await renewChains(kernel)
    const bringBack = (of: RuleKernel, record: Journal): Promise<unknown> =>
      isSame ? restoreRules(of, record, hadTable) : handOver(of, record)
    await bringBack(kernel, journal).catch((error: unknown) => {
      // A full disk is no reason to relay nothing: what an earlier change left is brought back unjournaled.
      if (isStateUnusable(error)) return bringBack(kernel, NO_JOURNAL)
      throw error
    })
  } catch (error) {
    logFailure(messageOf(error))
  }
}

const isStateUnusable = (error: unknown): boolean => error instanceof RefusedError && error.code === 'state_unusable'

const NO_JOURNAL: Journal = { isKept: () => false, begin: async () => undefined, end: async () => undefined }

const logFailure = (detail: string): void =>
  log('error', 'The relay rules last accepted could not be brought back', { detail })

/** Logs any other outcome than `applied`, and returns false for it. */
function isApplied({ outcome, failure, remediation }: Outcome): boolean {
  if (outcome !== 'applied') logFailure([`${outcome}: ${failure?.message ?? ''}`, ...remediation].join('. '))
  return outcome === 'applied'
}

/** An earlier version may have written the chains that every packet passes; no rule changes with them. */
async function renewChains({ rulesets }: RuleKernel): Promise<void> {
  const { is_readable, is_present, damaged } = await rulesets.read()
  if (is_readable && is_present && damaged.length > 0) await rulesets.submit([], [])
}

/** Nothing is taken for the rules that boot brings back where their file is damaged. */
function readableForBoot(held: HeldRuleset): HeldRuleset {
  if (held.boot_trouble !== null) throw new RefusedError('state_unusable', verbatim(held.boot_trouble))
  return held
}

/** Returns how many rules were brought back; null where nothing was to be done or could be. */
export async function restoreRules(
  { rulesets, ruleBackends }: RuleKernel,
  journal: Journal,
  hadTable = true,
): Promise<number | null> {
  const held = readableForBoot(await rulesets.read())
  const able = await ableHere(held.boot_rules, rulesets, ruleBackends)
  if (!isGone(held, able, hadTable)) return null
  const before = hostRules(held, new Set(held.boot_rules.map(({ route_rule_id }) => route_rule_id)))
  const after = { rules: able, boot: [...held.boot_rules], pieces: [] }
  const subject = rulesetSubject(rulesets, (last) => log('info', 'Counters of rules were deleted', { last }))
  if (!isApplied(await new Transaction(subject, journal).apply({ before, after }))) return null
  log('info', 'The relay rules last accepted are back in the kernel', { rules: able.length })
  return able.length
}

/**
 * A table of nftables goes as a whole, with a reboot or with `nft flush ruleset`; a single rule that somebody removed
 * is drift, and stays away. Of iptables others empty whole tables or load at boot what they saved, so there any rule
 * that is not whole is brought back.
 */
function isGone(
  { backend, is_readable, is_present, rules }: HeldRuleset,
  able: readonly RelayRule[],
  hadTable: boolean,
): boolean {
  if (!is_readable || able.length === 0) return false
  if (backend === 'nftables' && hadTable) return !is_present
  const held = new Map(rules.map((rule) => [rule.route_rule_id, rule]))
  return able.some((rule) => !sameState(held.get(rule.route_rule_id) ?? null, rule))
}

/** What this host can do of them: a rule that was on the fast path relays without it too. */
async function ableHere(
  rules: readonly RelayRule[],
  rulesets: Kernel['rulesets'],
  ruleBackends: Kernel['ruleBackends'],
): Promise<RelayRule[]> {
  const isFast = rules.some(({ is_fast_path }) => is_fast_path) && (await rulesets.fastPath()).is_able
  return rules
    .map((rule) => (rule.is_fast_path && !isFast ? canonicalRule({ ...rule, is_fast_path: false }) : rule))
    .filter(isAbleIn(ruleBackends))
}

const isAbleIn =
  ({ active }: Kernel['ruleBackends']) =>
  (rule: RelayRule): boolean =>
    ruleLimits(active, rule).length === 0

/** The rules go to the active backend from the one that held them before. */
async function handOver({ rulesets, ruleBackends }: RuleKernel, journal: Journal): Promise<void> {
  const [former, next] = [ruleBackends.recorded(), ruleBackends.active.active]
  const opened = await ruleBackends.open(former)
  if (typeof opened === 'string')
    log('info', 'The relay rules of another backend are left, since it does not work here', {
      backend: former,
      detail: opened,
    })
  const { boot_rules } = readableForBoot(await rulesets.read())
  const rules = await ableHere(boot_rules, rulesets, ruleBackends)
  const subject = handoverSubject(ruleBackends)
  const after = { recorded: next, rules, former: null }
  const { state: before } = await subject.probe({ before: { recorded: former, rules: [], former: null }, after })
  if (!isApplied(await new Transaction(subject, journal).apply({ before, after }))) return
  if (rules.length > 0) log('info', 'The relay rules last accepted are back in the kernel', { rules: rules.length })
  if (before?.former) log('info', 'The relay rules that another backend held are taken away', { backend: former })
}
