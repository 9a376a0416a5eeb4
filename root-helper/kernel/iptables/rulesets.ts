// Our chains in iptables and ip6tables; no other line of theirs is named in any text of ours, but those that lead to our chains.
import { readFile } from 'node:fs/promises'
import type { Family } from '@panel/shared/address/ip.ts'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import { ruleLimits, type RuleLimit } from '@panel/shared/ruleset/backend.ts'
import type { RelayCounters, RelayRule } from '@panel/shared/ruleset/model.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { readCounted } from '@panel/shared/ruleset/iptables/read-tables.ts'
import { readIptables, type IptablesRead } from '@panel/shared/ruleset/iptables/read.ts'
import { emptyTables, isPresent, RELAY_FAMILIES, type FamilyTables } from '@panel/shared/ruleset/iptables/tables.ts'
import { renderBack, renderCountersGone, renderFamily, wantedTables } from '@panel/shared/ruleset/iptables/render.ts'
import { KernelError, type HeldRuleset, type Rulesets } from '../facilities.ts'
import type { Iptables } from './iptables.ts'
import type { KeptRules } from '../files/kept-rules.ts'

type Read = Readonly<Record<Family, IptablesRead>>

export class IptablesRulesets implements Rulesets {
  readonly #iptables: Iptables
  readonly #kept: KeptRules
  /** Families that may have chains of ours: they are asked for every second, and a host without relay rules is not to start a program for it each time. */
  readonly #families = new Set<Family>(RELAY_FAMILIES)

  constructor(iptables: Iptables, kept: KeptRules) {
    this.#iptables = iptables
    this.#kept = kept
  }

  async read(): Promise<HeldRuleset> {
    const { backend } = this.#iptables
    try {
      const found = await this.#look()
      const read = RELAY_FAMILIES.map((family) => found[family])
      const rules = canonicalRuleset(read.flatMap((one) => one.rules))
      const damaged = read.flatMap((one) => one.damaged)
      return {
        backend,
        is_readable: true,
        is_present: this.#families.size > 0,
        detail: '',
        rules,
        damaged: [...damaged, ...this.#missing(rules, damaged)],
        unmanaged: read.flatMap(({ unmanaged }) => unmanaged),
        missing_jumps: read.flatMap(({ missing_jumps }) => missing_jumps),
      }
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      return {
        backend,
        is_readable: false,
        is_present: false,
        detail: error.message.slice(0, 300),
        rules: [],
        damaged: [],
        unmanaged: [],
      }
    }
  }

  async submit(gone: readonly number[], put: readonly RelayRule[]): Promise<void> {
    const read = await this.#look()
    const wanted = byId([...this.#kept.read(), ...RELAY_FAMILIES.flatMap((family) => read[family].rules)])
    for (const id of gone) wanted.delete(id)
    for (const rule of put) wanted.set(rule.route_rule_id, rule)
    const rules = canonicalRuleset([...wanted.values()])
    const held = rules.filter((rule) => this.#limits(rule).length === 0)
    const texts = RELAY_FAMILIES.map((family) => ({
      family,
      before: read[family].tables,
      text: renderFamily(family, read[family].tables, wantedTables(held, family, isPresent(read[family].tables))),
    }))
    await this.#load(texts.filter(({ text }) => text !== ''))
    await this.#kept.write(rules)
  }

  async removeCounters(route_rule_ids: readonly number[]): Promise<RelayCounters[]> {
    const stays = byId(this.#kept.read())
    const leaving = new Set(route_rule_ids.filter((id) => !stays.has(id)))
    const last: RelayCounters[] = []
    for (const family of this.#families) {
      const here = (await this.#counted(family)).filter(({ route_rule_id }) => leaving.has(route_rule_id))
      if (here.length > 0)
        await this.#iptables.restore(family, renderCountersGone(here.map(({ route_rule_id }) => route_rule_id)))
      last.push(...here)
    }
    return summed(last)
  }

  /** iptables gives its tables no numbers. Counters that somebody has set to nothing go backwards, which tells that they began anew. */
  async counters(): Promise<{ epoch: string; counters: RelayCounters[] }> {
    if (this.#families.size === 0) return { epoch: '', counters: [] }
    const counters = summed((await Promise.all([...this.#families].map((family) => this.#counted(family)))).flat())
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    return { epoch: `${boot.trim()}-${this.#iptables.backend === 'iptables_nft' ? 20 : 30}`, counters }
  }

  /** Others empty whole tables, and some load at boot what they saved: so the rules last accepted are brought back where any of them is not there whole. */
  async restore(): Promise<number | null> {
    const held = byId((await this.read()).rules)
    const kept = this.#kept.read()
    if (kept.every((rule) => sameState(held.get(rule.route_rule_id) ?? null, rule) || this.#limits(rule).length > 0))
      return null
    await this.submit([], kept)
    return kept.length
  }

  /** Everything of ours away, for another backend that has taken over. */
  async clear(): Promise<boolean> {
    const read = await this.#look()
    const wasThere = this.#families.size > 0
    for (const family of this.#families)
      await this.#iptables.restore(family, renderBack(family, read[family].tables, emptyTables()))
    this.#families.clear()
    return wasThere
  }

  #limits = (rule: RelayRule): RuleLimit[] =>
    ruleLimits({ active: this.#iptables.backend, has_ipv6: this.#iptables.hasIpv6 }, rule)

  #counted = async (family: Family): Promise<RelayCounters[]> => readCounted(await this.#iptables.listCounted(family))

  async #look(): Promise<Read> {
    const [four, six] = await Promise.all([this.#lookAt(4), this.#lookAt(6)])
    return { 4: four, 6: six }
  }

  async #lookAt(family: Family): Promise<IptablesRead> {
    try {
      const read = readIptables(await this.#iptables.save(family), family)
      if (isPresent(read.tables)) this.#families.add(family)
      else this.#families.delete(family)
      return read
    } catch (error) {
      if (error instanceof SyntaxError) throw new KernelError('EOPNOTSUPP', error.message)
      throw error
    }
  }

  /** A family is loaded by one program and a table by one commit, so where any of it fails, what was loaded before is taken back. */
  async #load(texts: readonly Load[]): Promise<void> {
    const done: Load[] = []
    try {
      for (const one of texts) {
        done.push(one)
        this.#families.add(one.family)
        await this.#iptables.restore(one.family, one.text)
      }
    } catch (error) {
      await this.#putBack(done, error)
      throw error
    }
  }

  async #putBack(done: readonly Load[], error: unknown): Promise<void> {
    try {
      for (const { family, before } of done) {
        const text = renderBack(family, (await this.#lookAt(family)).tables, before)
        if (text !== '') await this.#iptables.restore(family, text)
      }
    } catch (failure) {
      throw new KernelError(
        'EIO',
        `${messageOf(error)}. Putting back what was loaded before it failed too: ${messageOf(failure)}`,
      )
    }
  }

  #missing(rules: readonly RelayRule[], damaged: HeldRuleset['damaged']): HeldRuleset['damaged'] {
    const seen = new Set([...rules, ...damaged].map(({ route_rule_id }) => route_rule_id))
    const why = (rule: RelayRule): string =>
      this.#limits(rule)
        .map((limit) => limit.why)
        .join('; ') || 'nothing of it is in our chains; the next change or boot brings it back'
    return this.#kept
      .read()
      .filter(({ route_rule_id }) => !seen.has(route_rule_id))
      .map((rule) => ({ route_rule_id: rule.route_rule_id, detail: why(rule) }))
  }
}

interface Load {
  readonly family: Family
  readonly before: FamilyTables
  readonly text: string
}

const byId = (rules: readonly RelayRule[]): Map<number, RelayRule> =>
  new Map(rules.map((rule) => [rule.route_rule_id, rule]))

/** In the order of their ids. A rule that changed its family has what it counted before in the other one. */
function summed(counters: readonly RelayCounters[]): RelayCounters[] {
  const found = new Map<number, RelayCounters>()
  for (const one of counters) {
    const { tx_bytes = 0, tx_packets = 0, rx_bytes = 0, rx_packets = 0 } = found.get(one.route_rule_id) ?? {}
    found.set(one.route_rule_id, {
      route_rule_id: one.route_rule_id,
      tx_bytes: tx_bytes + one.tx_bytes,
      tx_packets: tx_packets + one.tx_packets,
      rx_bytes: rx_bytes + one.rx_bytes,
      rx_packets: rx_packets + one.rx_packets,
    })
  }
  return [...found.values()].sort((a, b) => a.route_rule_id - b.route_rule_id)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
