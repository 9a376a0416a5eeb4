// Our chains in iptables and ip6tables. Apart from the jumps to our chains, no text of ours names any other line.
import { message } from '@panel/shared/messages/message.ts'
import type { Family } from '@panel/shared/address/ip.ts'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import { ruleLimits, type RuleLimit } from '@panel/shared/ruleset/backend.ts'
import type { RelayCounters, RelayRule } from '@panel/shared/ruleset/model.ts'
import { readArrived, readCounted } from '@panel/shared/ruleset/iptables/read-tables.ts'
import { patchTables } from '@panel/shared/ruleset/iptables/patch.ts'
import { readIptables, type IptablesRead } from '@panel/shared/ruleset/iptables/read.ts'
import {
  emptyTables,
  isPresent,
  RELAY_FAMILIES,
  SOURCE_CHAIN,
  type FamilyTables,
} from '@panel/shared/ruleset/iptables/tables.ts'
import { renderBack, renderCountersGone, renderFamily, wantedTables } from '@panel/shared/ruleset/iptables/render.ts'
import { NO_FAST_PATH, type FastPathFound } from '@panel/shared/ruleset/fast-path.ts'
import { UNPROTECTED, type Protection } from '@panel/shared/ruleset/protection.ts'
import { bootId } from '../boot-id.ts'
import type { HeldRuleset, LinkSource, Rulesets, RuleSwap } from '../relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { sharedRead } from '../../shared-read.ts'
import { messageOf } from '../../text.ts'
import type { Iptables } from './iptables.ts'
import { SourceChains } from './source-chains.ts'
import { readSources } from '@panel/shared/ruleset/iptables/sources.ts'
import { logSourcesFailure } from '../sources-failure.ts'
import { missingRules, type BootRules } from '../files/boot-rules.ts'

type Read = Readonly<Record<Family, IptablesRead>>

export class IptablesRulesets implements Rulesets {
  readonly #iptables: Iptables
  readonly #boot: BootRules
  readonly #sources: SourceChains
  /**
   * Families that may have chains of ours. Counters are read every second, and a host without relay rules must not
   * start a program each time.
   */
  readonly #families = new Set<Family>(RELAY_FAMILIES)

  constructor(iptables: Iptables, boot: BootRules) {
    this.#iptables = iptables
    this.#boot = boot
    this.#sources = new SourceChains(iptables)
  }

  async read(): Promise<HeldRuleset> {
    const { backend } = this.#iptables
    try {
      const found = await this.#readTables()
      const read = RELAY_FAMILIES.map((family) => found[family])
      const rules = canonicalRuleset(read.flatMap((one) => one.rules))
      const damaged = read.flatMap((one) => one.damaged)
      return {
        backend,
        is_readable: true,
        is_present: this.#families.size > 0,
        detail: '',
        rules,
        damaged: [
          ...damaged,
          ...missingRules(this.#boot.held().boot_rules, [...rules, ...damaged], (rule) => this.#whyMissing(rule)),
        ],
        unmanaged: read.flatMap(({ unmanaged }) => unmanaged),
        missing_jumps: read.flatMap(({ missing_jumps }) => missing_jumps),
        ...this.#boot.held(),
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
        ...this.#boot.held(),
      }
    }
  }

  saveForBoot(gone: readonly number[], put: readonly RelayRule[]): Promise<void> {
    return this.#boot.change(gone, put)
  }

  async submit(gone: readonly number[], put: readonly RelayRule[]): Promise<void> {
    const read = await this.#readTables()
    const ids = new Set([...gone, ...ruleIds(put)])
    const loads = RELAY_FAMILIES.map((family) => {
      const { tables: found, legible, sources } = read[family]
      const after = [...legible.filter(({ route_rule_id }) => !ids.has(route_rule_id)), ...put]
      const versions = {
        found,
        before: wantedTables(legible, family, isPresent(found)),
        after: wantedTables(canonicalRuleset(after), family, isPresent(found)),
      }
      const tables = patchTables(versions, ids)
      const held = tables.nat.chains.has(SOURCE_CHAIN) ? (sources ?? []) : null
      return { family, before: found, text: renderFamily(family, found, tables), held }
    })
    await this.#load(loads.filter(({ text }) => text !== ''))
    // The chain may have come with the change, empty.
    for (const { family, held } of loads) this.#sources.remember(family, held)
    await this.#sources.put().catch(logSourcesFailure)
  }

  /** Each of the two by itself, and from nothing: a line cannot be tested against chains that are not there yet. */
  async rehearse(there: RuleSwap, back: RuleSwap): Promise<void> {
    for (const { put } of [there, back])
      for (const family of RELAY_FAMILIES) {
        const text = renderFamily(family, emptyTables(), wantedTables(canonicalRuleset(put), family, false))
        if (text !== '') await this.#iptables.test(family, text)
      }
  }

  async removeCounters(route_rule_ids: readonly number[]): Promise<RelayCounters[]> {
    const read = await this.#readTables()
    const stays = new Set(RELAY_FAMILIES.flatMap((family) => ruleIds([...read[family].rules, ...read[family].damaged])))
    const leaving = new Set(route_rule_ids.filter((id) => !stays.has(id)))
    const last: RelayCounters[] = []
    for (const family of this.#families) {
      const here = (await this.#counted(family)).filter(({ route_rule_id }) => leaving.has(route_rule_id))
      if (here.length > 0)
        await this.#iptables.restore(family, renderCountersGone(here.map(({ route_rule_id }) => route_rule_id)))
      last.push(...here)
    }
    return sumCounters(last)
  }

  /**
   * Reads the counters. iptables does not number its tables. Counters that another program has reset go backwards,
   * which shows that they restarted.
   */
  async counters(): Promise<{ epoch: string; counters: RelayCounters[] }> {
    if (this.#families.size === 0) return { epoch: '', counters: [] }
    const counters = sumCounters((await Promise.all([...this.#families].map((family) => this.#counted(family)))).flat())
    return { epoch: `${await bootId()}-${this.#iptables.backend === 'iptables_nft' ? 20 : 30}`, counters }
  }

  protection = async (): Promise<Protection> => UNPROTECTED
  protect = async (): Promise<Protection> => UNPROTECTED
  followDevices = async (): Promise<void> => undefined
  fastPath = async (): Promise<FastPathFound> => NO_FAST_PATH

  async followSources(sources: readonly LinkSource[]): Promise<void> {
    this.#sources.follow(sources)
    if (!this.#sources.isKnown) {
      const read = await this.#readTables()
      for (const family of RELAY_FAMILIES) this.#sources.remember(family, read[family].sources)
    }
    await this.#sources.put()
  }

  async sources(): Promise<readonly LinkSource[]> {
    const read = await this.#readTables()
    return RELAY_FAMILIES.flatMap((family) => readSources(read[family].sources ?? []))
  }

  async bringUpToDate(): Promise<void> {}

  /** A change of the rule begins the counts of its chains again. */
  async arrived(route_rule_id: number): Promise<number> {
    const listed = await Promise.all([...this.#families].map((family) => this.#iptables.listCounted(family, 'nat')))
    return listed.reduce((sum, text) => sum + readArrived(text, route_rule_id), 0)
  }

  async clear(): Promise<void> {
    const read = await this.#readTables()
    for (const family of this.#families)
      await this.#iptables.restore(family, renderBack(family, read[family].tables, emptyTables()))
    for (const family of RELAY_FAMILIES) this.#sources.remember(family, null)
    this.#families.clear()
  }

  #limits = (rule: RelayRule): RuleLimit[] =>
    ruleLimits({ active: this.#iptables.backend, has_ipv6: this.#iptables.hasIpv6 }, rule)

  #counted = async (family: Family): Promise<RelayCounters[]> => readCounted(await this.#iptables.listCounted(family))

  readonly #readTables = sharedRead(async (): Promise<Read> => {
    const [four, six] = await Promise.all([this.#readFamily(4), this.#readFamily(6)])
    return { 4: four, 6: six }
  })

  async #readFamily(family: Family): Promise<IptablesRead> {
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

  /**
   * Each family is loaded by one program and each table by one commit, so where one fails, what was loaded before it is
   * undone.
   */
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
        const text = renderBack(family, (await this.#readFamily(family)).tables, before)
        if (text !== '') await this.#iptables.restore(family, text)
      }
    } catch (failure) {
      throw new KernelError(
        'EIO',
        message('root.load_back_failed', { first: messageOf(error), second: messageOf(failure) }).message,
      )
    }
  }

  #whyMissing(rule: RelayRule): string {
    const limits = this.#limits(rule).map(({ why }) => why.message)
    return limits.join('; ') || message('root.not_in_chains').message
  }
}

interface Load {
  readonly family: Family
  readonly before: FamilyTables
  readonly text: string
}

const ruleIds = (rules: readonly { readonly route_rule_id: number }[]): number[] =>
  rules.map(({ route_rule_id }) => route_rule_id)

/** In the order of their ids. A rule that changed its family has what it counted before in the other one. */
function sumCounters(counters: readonly RelayCounters[]): RelayCounters[] {
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
