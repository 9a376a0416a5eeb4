// Our table in this network namespace's netfilter: written by way of nft, read whole by way of nft, and in pieces from
// the kernel itself; no other table is named.
import { message } from '@panel/shared/messages/message.ts'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import type { RelayCounters, RelayRule } from '@panel/shared/ruleset/model.ts'
import { nothingRead, type RulesetRead } from '@panel/shared/ruleset/nft/read.ts'
import { applyChange, diffTables, type TableChange } from '@panel/shared/ruleset/nft/change.ts'
import { renderCountersGone, formatChange } from '@panel/shared/ruleset/nft/render.ts'
import { withArrived, withSlowAnswers } from '@panel/shared/ruleset/nft/arrived.ts'
import { ARRIVED } from '@panel/shared/ruleset/nft/constant.ts'
import { DIRECT_MAX, isDirect } from '@panel/shared/ruleset/nft/direct.ts'
import { FLOWTABLE } from '@panel/shared/ruleset/nft/fast-path.ts'
import { layOut } from '@panel/shared/ruleset/nft/layout.ts'
import { rulesAround } from '@panel/shared/ruleset/part.ts'
import { patchTable } from '@panel/shared/ruleset/nft/patch.ts'
import { TABLE, type Table } from '@panel/shared/ruleset/nft/table.ts'
import type { FastPathFound } from '@panel/shared/ruleset/fast-path.ts'
import type { Protection } from '@panel/shared/ruleset/protection.ts'
import { Confirmation } from './confirmation.ts'
import { bootId } from '../boot-id.ts'
import type { HeldRuleset, LinkSource, Rulesets, RuleSwap } from '../relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import type { FastFlows } from '../conntrack/fast-flows.ts'
import { fastPathIn } from './fast-path.ts'
import { FlowDevices } from './flow-devices.ts'
import type { Generations } from './generations.ts'
import { KnownTable } from './known-table.ts'
import { logSourcesFailure } from '../sources-failure.ts'
import { missingRules, swapped, type BootRules } from '../files/boot-rules.ts'
import type { Nft } from './nft.ts'
import type { TableProtection } from './protection.ts'
import { TableWriter } from './table-writer.ts'
import { ruleCounters, RelayTable } from './relay-table.ts'
import { SourceMaps } from './source-maps.ts'

/** How often a change is tried that the kernel refuses because the ruleset has changed meanwhile. */
const DIRECT_TRIES = 3

export class NftRulesets implements Rulesets {
  readonly #nft: Nft
  readonly #boot: BootRules
  readonly #generations: Generations
  readonly #protection: TableProtection
  readonly #writer: TableWriter
  readonly #table: RelayTable
  readonly #confirmation: Confirmation
  readonly #known: KnownTable
  #submitting: Promise<void> = Promise.resolve()
  #bootId: string | null = null
  readonly #sources: SourceMaps
  readonly #flowDevices: FlowDevices
  #fastPath: Promise<FastPathFound> | null = null
  readonly #fastFlows: Pick<FastFlows, 'prepare'>

  constructor(
    nft: Nft,
    boot: BootRules,
    generations: Generations,
    protection: TableProtection,
    fastFlows: Pick<FastFlows, 'prepare'>,
  ) {
    this.#nft = nft
    this.#boot = boot
    this.#generations = generations
    this.#protection = protection
    this.#writer = new TableWriter(nft, protection)
    this.#table = new RelayTable(() => protection.owner)
    this.#confirmation = new Confirmation(this.#table, nft)
    this.#known = new KnownTable(nft, this.#table, generations, this.#confirmation)
    this.#sources = new SourceMaps(this.#table, this.#known, generations)
    this.#fastFlows = fastFlows
    this.#flowDevices = new FlowDevices(this.#table, (work) =>
      this.#known.keeping(async () => {
        await work(await generations.now())
        return 1
      }),
    )
  }

  async read(): Promise<HeldRuleset> {
    // During a submission the cache is out of date, and the whole table would be listed.
    await this.#submitting
    try {
      const read = await this.#known.read()
      const { rules, damaged, unmanaged } = read ?? nothingRead()
      return {
        backend: 'nftables',
        is_readable: true,
        is_present: read !== null,
        detail: '',
        rules,
        damaged: [...damaged, ...missingRules(this.#boot.held().boot_rules, [...rules, ...damaged], () => MISSING)],
        unmanaged,
        ...this.#boot.held(),
      }
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      return {
        backend: 'nftables',
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

  submit(gone: readonly number[], put: readonly RelayRule[]): Promise<void> {
    if (put.some(({ is_fast_path }) => is_fast_path)) this.#fastFlows.prepare()
    const submitted = this.#submit(gone, put).then(() => this.#putDevices())
    this.#submitting = submitted.catch(() => undefined) // its requester gets the failure
    return submitted
  }

  /** A flowtable is made without any. */
  async #putDevices(): Promise<void> {
    if (this.#known.expected?.table.sets.has(FLOWTABLE)) await this.#flowDevices.put()
  }

  /**
   * Submits the change, again if another program changed the ruleset meanwhile; the last time by nft, which takes the
   * ruleset as it then is.
   */
  async #submit(gone: readonly number[], put: readonly RelayRule[]): Promise<void> {
    for (let left = DIRECT_TRIES; left > 0; left -= 1)
      try {
        return await this.#submitOnce({ gone, put }, true)
      } catch (error) {
        if (!(error instanceof KernelError && error.code === 'ERESTART')) throw error
      }
    await this.#submitOnce({ gone, put }, false)
  }

  async #submitOnce({ gone, put }: RuleSwap, mayBeDirect: boolean): Promise<void> {
    const found = await this.#known.read()
    const rules = swapped(found?.legible ?? [], canonical({ gone, put }))
    if (found && isWhole(found)) await this.#submitPart(found, rules, mayBeDirect)
    else if (found) {
      const ids = new Set([...gone, ...put.map(({ route_rule_id }) => route_rule_id)])
      await this.#submitAll(found.table, rules, patchTable(found.table, { before: found.legible, after: rules, ids }))
    } else if (rules.length > 0) await this.#submitAll(null, rules, layOut(rules))
  }

  /**
   * Submits the change as one transaction, which the kernel checks as a whole and throws away. A damaged table allows
   * no more than that to be known beforehand.
   */
  async rehearse(there: RuleSwap, back: RuleSwap): Promise<void> {
    const found = await this.#known.read()
    if (found && !isWhole(found)) return
    const rules = swapped(found?.legible ?? [], canonical(there))
    const { part, wanted } = found ? around(found, rules) : { part: null, wanted: layOut(rules) }
    const forward = diffTables(part, wanted)
    for (const name of part?.counters ?? []) wanted.counters.add(name)
    const undone = diffTables(wanted, part ?? layOut(swapped(rules, canonical(back))))
    const { cached } = this.#known
    const isDirectly = part && cached?.read === found && isDirect(forward, part) && isDirect(undone, wanted)
    await this.#known.keeping(async () => {
      if (isDirectly && (await this.#isRehearsed(forward, undone, cached.generation))) return 1
      return this.#writer.check(formatChange(forward) + formatChange(undone))
    })
  }

  /** False where the ruleset is not as it was read; then nft looks at it as it is now. */
  async #isRehearsed(there: TableChange, back: TableChange, generation: number): Promise<boolean> {
    try {
      await this.#table.rehearse(there, back, generation)
      return true
    } catch (error) {
      if (error instanceof KernelError && ['ERESTART', 'EEXIST'].includes(error.code)) return false
      throw error
    }
  }

  /** It stays so until the kernel or nft is another one. */
  fastPath(): Promise<FastPathFound> {
    this.#fastPath ??= fastPathIn(this.#nft).catch((error: unknown) => {
      this.#fastPath = null
      throw error
    })
    return this.#fastPath
  }

  async protection(): Promise<Protection> {
    return this.#protection.now()
  }

  /** Taking the table is a generation, and changes nothing of it. */
  async protect(isWanted: boolean): Promise<Protection> {
    await this.#submitting
    await this.#generations.during(() => this.#protection.protect(isWanted))
    return this.#protection.now()
  }

  /** Deleting the table deletes the counters with it. */
  async clear(): Promise<void> {
    if ((await this.#table.handle()) === null) return
    await this.#generations.during(() => this.#writer.submit(`delete table ${TABLE}\n`))
    this.#sources.forget()
    await this.#protection.end()
  }

  async removeCounters(route_rule_ids: readonly number[]): Promise<RelayCounters[]> {
    const held = await this.#known.read()
    const stays = new Set([...(held?.rules ?? []), ...(held?.damaged ?? [])].map(({ route_rule_id }) => route_rule_id))
    const names = route_rule_ids
      .filter((id) => !stays.has(id))
      .flatMap((id) => ['rule', 'twice'].flatMap((of) => [`${of}_${id}_tx`, `${of}_${id}_rx`]))
    const found = await this.#table.countersNamed(names)
    if (found.length === 0) return []
    const gone = found.map(({ name }) => name)
    const { cached } = this.#known
    const generations = await this.#generations.during(() =>
      gone.length <= DIRECT_MAX
        ? directly(this.#table.deleteCounters(gone))
        : this.#writer.submit(renderCountersGone(gone)),
    )
    if (
      cached?.read &&
      cached.generation === generations?.before &&
      (await this.#table.countersNamed(gone)).length === 0
    ) {
      this.#known.forget()
      for (const name of gone) cached.read.table.counters.delete(name)
      await this.#known.remember(generations.after, cached.read)
    }
    return ruleCounters(found)
  }

  async counters(): Promise<{ epoch: string; counters: RelayCounters[] }> {
    const handle = await this.#table.handle()
    if (handle === null) return { epoch: '', counters: [] }
    this.#bootId ??= await bootId()
    return { epoch: `${this.#bootId}.${handle}`, counters: await this.#table.counters() }
  }

  async bringUpToDate(): Promise<void> {
    const found = await this.#known.read()
    if (!found) return
    const counting = found.table.sets.has(ARRIVED) ? found.table : withArrived(found.table)
    const wanted = withSlowAnswers(counting)
    if (wanted === found.table) return
    await this.#generations.during(() => this.#writer.submit(formatChange(diffTables(found.table, wanted))))
    this.#known.forget()
  }

  arrived(route_rule_id: number): Promise<number> {
    return this.#table.arrived(route_rule_id)
  }

  async #submitAll(found: Table | null, rules: readonly RelayRule[], wanted: Table): Promise<void> {
    await this.#generations.during(() =>
      found ? this.#writer.submit(formatChange(diffTables(found, wanted))) : this.#writer.make(wanted),
    )
    this.#known.expected = { rules, table: layOut(rules) }
    // The maps may have been made with the table, empty.
    await this.#sources.put().catch(logSourcesFailure)
  }

  async followDevices(names: readonly string[]): Promise<void> {
    await this.#submitting
    await this.#flowDevices.follow(names)
  }

  async followSources(sources: readonly LinkSource[]): Promise<void> {
    this.#sources.follow(sources)
    await this.#submitting
    await this.#sources.put()
  }

  async sources(): Promise<readonly LinkSource[]> {
    await this.#submitting
    return this.#sources.held()
  }

  /**
   * The table is just what the rules found are compiled to, so nothing need be compiled but what the change has to do
   * with.
   */
  async #submitPart(found: RulesetRead, rules: readonly RelayRule[], mayBeDirect: boolean): Promise<void> {
    const { part, wanted } = around(found, rules)
    const whole = diffTables(part, wanted)
    const { cached } = this.#known
    const isDirectly = mayBeDirect && cached?.read === found && isDirect(whole, part)
    const change = isDirectly ? { ...whole, chains: [] } : whole
    const generations = await (isDirectly
      ? this.#generations.during(() => directly(this.#table.change(change, cached.generation)), cached.generation)
      : this.#generations.during(() => this.#writer.submit(formatChange(change))))
    applyChange(found.table, change)
    const read: RulesetRead = { table: found.table, legible: rules, rules: [...rules], damaged: [], unmanaged: [] }
    this.#known.expected = read
    this.#known.forget()
    if (cached?.read === found && cached.generation === generations?.before && (await this.#confirmation.holds(change)))
      await this.#known.remember(generations.after, read)
  }
}

/** One generation. */
const directly = (commit: Promise<void>): Promise<number> => commit.then(() => 1)

/** The parts of the table that a change has to do with. */
function around(found: RulesetRead, rules: readonly RelayRule[]): { readonly part: Table; readonly wanted: Table } {
  const { before, after } = rulesAround(found.rules, rules)
  const [part, wanted] = [layOut(before), layOut(after)]
  // Counters that are still there from an earlier rule of the same id.
  for (const name of wanted.counters) if (found.table.counters.has(name)) part.counters.add(name)
  return { part, wanted }
}

const canonical = ({ gone, put }: RuleSwap): RuleSwap => ({ gone, put: canonicalRuleset(put) })

const MISSING = message('root.not_in_table').message

const isWhole = ({ damaged, unmanaged }: RulesetRead): boolean => damaged.length + unmanaged.length === 0
