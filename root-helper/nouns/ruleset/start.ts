// Relay rules when the helper starts: relaying begins before the web daemon does, and without it.
import { verbatim } from '@panel/shared/messages/message.ts'
import { ruleLimits, type RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { canonicalRule } from '@panel/shared/ruleset/canonical.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { turnsIn } from '@panel/shared/ruleset/slots.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import type { HeldRuleset } from '../../kernel/relay-facilities.ts'
import { log } from '../../log.ts'
import { readableRuleset } from '../../policy.ts'
import { RefusedError } from '../../refused.ts'
import type { Journal } from '../../subject.ts'
import { Transaction } from '../../transaction.ts'
import { handoverSubject } from './handover.ts'
import { hostRules, rulesetSubject } from './subject.ts'
import { messageOf } from '../../text.ts'

type RuleKernel = Pick<Kernel, 'rulesets' | 'ruleBackends'>

/** Ask before anything is put back: afterwards the table is there, and may hold only what was put back. */
export async function holdsRules({ rulesets }: Pick<Kernel, 'rulesets'>): Promise<boolean> {
  const held = await rulesets.read()
  readableRuleset(held)
  return held.is_present
}

/**
 * Afterwards the active backend, and no other, holds the rules that boot brings back. Returns why that is not so yet,
 * or null; it can be called again. `hadTable`: whether there was a table of ours before an earlier change was put back.
 */
export async function startRules(kernel: RuleKernel, journal: Journal, hadTable = true): Promise<string | null> {
  try {
    return await bringBack(kernel, journal, hadTable)
  } catch (error) {
    // A full disk is no reason to relay nothing: what an earlier change left is brought back unjournaled.
    if (!isStateUnusable(error)) return messageOf(error)
    return bringBack(kernel, NO_JOURNAL, hadTable).catch(messageOf)
  }
}

async function bringBack(kernel: RuleKernel, journal: Journal, hadTable: boolean): Promise<string | null> {
  const { ruleBackends } = kernel
  const { found, unread } = await ruleBackends.look()
  if (ruleBackends.isNamed && unread !== '') return unread
  if (found.length > 0 && !ruleBackends.isNamed) return ruleBackends.active.trouble
  try {
    await moveAndRestore(kernel, journal, { found, hadTable })
  } finally {
    ruleBackends.started()
  }
  return unread === '' ? null : unread
}

async function moveAndRestore(
  kernel: RuleKernel,
  journal: Journal,
  { found, hadTable }: { readonly found: readonly RuleBackend[]; readonly hadTable: boolean },
): Promise<void> {
  const { ruleBackends } = kernel
  for (const former of found)
    await handOver(kernel, journal, former).catch((error: unknown) => {
      ruleBackends.notMoved(messageOf(error))
      throw error
    })
  if (found.length > 0) await ruleBackends.look()
  await restoreRules(kernel, hadTable)
  const { active } = ruleBackends.active
  if (ruleBackends.recorded() !== active) await ruleBackends.record(active)
}

const isStateUnusable = (error: unknown): boolean => error instanceof RefusedError && error.code === 'state_unusable'

const NO_JOURNAL: Journal = { isKept: () => false, begin: async () => undefined, end: async () => undefined }

/** Throws for any other outcome than `applied`. */
function requireApplied({ outcome, failure, remediation }: Outcome): void {
  if (outcome !== 'applied') throw new Error([`${outcome}: ${failure?.message ?? ''}`, ...remediation].join('. '))
}

/** Nothing is taken for the rules that boot brings back where their file is damaged. */
function readableForBoot(held: HeldRuleset): HeldRuleset {
  readableRuleset(held)
  if (held.boot_trouble !== null) throw new RefusedError('state_unusable', verbatim(held.boot_trouble))
  return held
}

/**
 * Returns how many rules were brought back; null where nothing was to be done. Throws where they could not be. It is
 * unjournaled: a start that is cut short here would otherwise be put back by the next, which had a table then.
 */
export async function restoreRules({ rulesets, ruleBackends }: RuleKernel, hadTable = true): Promise<number | null> {
  await rulesets.bringUpToDate()
  const held = readableForBoot(await rulesets.read())
  const able = await ableHere(held.boot_rules, rulesets, ruleBackends)
  const lost = isGone(held, able, hadTable) ? held.boot_rules : laidOutOnce(held)
  const ids = new Set(lost.map(({ route_rule_id }) => route_rule_id))
  const rules = able.filter(({ route_rule_id }) => ids.has(route_rule_id))
  if (rules.length === 0) return null
  const before = hostRules(held, ids)
  const after = { rules, boot: [...lost], pieces: [], strays: [] }
  const subject = rulesetSubject(rulesets, (last) => log('info', 'Counters of rules were deleted', { last }))
  requireApplied(await new Transaction(subject, NO_JOURNAL).apply({ before, after }))
  log('info', 'The relay rules last accepted are back in the kernel', { rules: rules.length })
  return rules.length
}

/** Rules whose turn an earlier release laid out once (`turnsIn`): they relay, but are not whole any more. */
function laidOutOnce({ backend, boot_rules, damaged }: HeldRuleset): readonly RelayRule[] {
  const broken = new Set(damaged.map(({ route_rule_id }) => route_rule_id))
  return backend === 'nftables'
    ? boot_rules.filter((one) => broken.has(one.route_rule_id) && turnsIn(one).turns > 1)
    : []
}

/**
 * Whether rules have to be brought back. A table of nftables goes as a whole, with a reboot or with `nft flush
 * ruleset`; a single rule that an administrator removed is drift, and stays away. Other programs empty whole tables of
 * iptables or load at boot what they saved, so there any rule that is not whole is brought back.
 */
function isGone({ backend, is_present, rules }: HeldRuleset, able: readonly RelayRule[], hadTable: boolean): boolean {
  if (able.length === 0) return false
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

/** The rules go to the active backend, and everything of ours leaves the former. */
async function handOver({ rulesets, ruleBackends }: RuleKernel, journal: Journal, former: RuleBackend): Promise<void> {
  const { boot_rules } = readableForBoot(await rulesets.read())
  const rules = await ableHere(boot_rules, rulesets, ruleBackends)
  const subject = handoverSubject(ruleBackends)
  const next = ruleBackends.active.active
  const parties = { from: former, to: next }
  const after = { parties, recorded: next, rules, former: null }
  const { state: before } = await subject.probe({ before: { ...after, recorded: former, rules: [] }, after })
  requireApplied(await new Transaction(subject, journal).apply({ before, after }))
  log('info', 'The relay rules are handed over', { former, next, rules: rules.length })
}
