// Our table in this network namespace's netfilter, by way of nft; no other table is named in any text of ours.
import { readFile } from 'node:fs/promises'
import { canonicalRuleset } from '@panel/shared/model/canonical-ruleset.ts'
import type { RelayCounters, RelayRule } from '@panel/shared/model/ruleset.ts'
import { readCounters } from '@panel/shared/read/ruleset-counters.ts'
import { nothingRead, readRuleset, type Compiled, type RulesetRead } from '@panel/shared/read/ruleset.ts'
import { renderChange, renderCountersGone } from '@panel/shared/render/ruleset.ts'
import { layOut } from '@panel/shared/render/ruleset-layout.ts'
import { TABLE } from '@panel/shared/render/ruleset-table.ts'
import { KernelError, type HeldRuleset, type Rulesets } from './facilities.ts'
import type { KeptRules } from './kept-rules.ts'
import type { Nft } from './nft.ts'

const LIST_TABLE = `list table ${TABLE}`
/** The table's own number tells one that was made anew. */
const LIST_COUNTERS = `list tables inet; list counters table ${TABLE}`

const NO_COUNTERS = { epoch: '', counters: [] }

export class NftRulesets implements Rulesets {
  readonly #nft: Nft
  readonly #kept: KeptRules
  readonly #generation: () => Promise<number>
  /** What was read last, while the ruleset is of the same generation. Reading ten thousand rules takes seconds. */
  #seen: { readonly generation: number; readonly read: RulesetRead | null } | null = null
  #expected: Compiled | null = null

  constructor(nft: Nft, kept: KeptRules, generation: () => Promise<number>) {
    this.#nft = nft
    this.#kept = kept
    this.#generation = generation
  }

  async read(): Promise<HeldRuleset> {
    try {
      const read = await this.#look()
      const { rules, damaged, unmanaged } = read ?? nothingRead()
      return { backend: 'nftables', is_readable: true, is_present: read !== null, detail: '', rules, damaged: [...damaged, ...this.#missing(rules, damaged)], unmanaged }
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      return { backend: 'nftables', is_readable: false, is_present: false, detail: error.message.slice(0, 300), rules: [], damaged: [], unmanaged: [] }
    }
  }

  async submit(gone: readonly number[], put: readonly RelayRule[]): Promise<void> {
    const found = await this.#look()
    const wanted = byId([...this.#kept.read(), ...(found?.rules ?? [])])
    for (const id of gone) wanted.delete(id)
    for (const rule of put) wanted.set(rule.route_rule_id, rule)
    const rules = canonicalRuleset([...wanted.values()])
    const table = layOut(rules)
    if (found || rules.length > 0) await this.#nft.submit(renderChange(found?.table ?? null, table))
    this.#expected = { rules, table }
    await this.#kept.write(rules)
  }

  async removeCounters(route_rule_ids: readonly number[]): Promise<RelayCounters[]> {
    const stays = byId(this.#kept.read())
    const leaving = new Set(route_rule_ids.filter((id) => !stays.has(id)))
    const last = (await this.counters()).counters.filter(({ route_rule_id }) => leaving.has(route_rule_id))
    if (last.length > 0) await this.#nft.submit(renderCountersGone(last.flatMap(({ route_rule_id }) => [`rule_${route_rule_id}_tx`, `rule_${route_rule_id}_rx`])))
    return last
  }

  async counters(): Promise<{ epoch: string; counters: RelayCounters[] }> {
    const generation = await this.#generation()
    // Asked for every second: a host without relay rules is not to start a program for it each time.
    if (this.#seen?.generation === generation && this.#seen.read === null) return NO_COUNTERS
    const listed = await this.#nft.list(LIST_COUNTERS)
    const { handle, counters } = listed === null ? { handle: null, counters: [] } : readCounters(listed)
    if (handle === null) {
      await this.#remember(generation, null)
      return NO_COUNTERS
    }
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    return { epoch: `${boot.trim()}.${handle}`, counters }
  }

  async restore(): Promise<number | null> {
    if (this.#kept.read().length === 0 || (await this.#look())) return null
    await this.submit([], [])
    return this.#kept.read().length
  }

  /** Null where our table is not there. */
  async #look(): Promise<RulesetRead | null> {
    const generation = await this.#generation()
    if (this.#seen?.generation === generation) return this.#seen.read
    const listed = await this.#nft.list(LIST_TABLE)
    const read = listed === null ? null : readRuleset(listed, this.#expected)
    await this.#remember(generation, read)
    return read
  }

  /** What was read while the ruleset changed belongs to no generation. */
  async #remember(generation: number, read: RulesetRead | null): Promise<void> {
    this.#seen = generation === (await this.#generation()) ? { generation, read } : null
  }

  #missing(rules: readonly RelayRule[], damaged: HeldRuleset['damaged']): HeldRuleset['damaged'] {
    const seen = new Set([...rules, ...damaged].map(({ route_rule_id }) => route_rule_id))
    return this.#kept.read().filter(({ route_rule_id }) => !seen.has(route_rule_id)).map(({ route_rule_id }) => ({ route_rule_id, detail: 'nothing of it is in the table; the next change or boot brings it back' }))
  }
}

const byId = (rules: readonly RelayRule[]): Map<number, RelayRule> => new Map(rules.map((rule) => [rule.route_rule_id, rule]))
