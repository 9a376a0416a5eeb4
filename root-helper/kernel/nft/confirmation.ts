// Reads back only what a change of our table was meant to alter. If all of it is as wanted and the generation shows
// that nobody else changed anything, nothing more is read.
import { readTable } from '@panel/shared/ruleset/nft/read-table.ts'
import type { Element, SetChange, TableChange } from '@panel/shared/ruleset/nft/change.ts'
import { constantTable } from '@panel/shared/ruleset/nft/constant.ts'
import { TABLE, type Table, type TableChain, type TableSet } from '@panel/shared/ruleset/nft/table.ts'
import { KernelError } from '../../kernel-error.ts'
import type { Nft } from './nft.ts'
import type { RelayTable } from './relay-table.ts'
import { wantedIntervals, foundIntervals } from './intervals.ts'
import { DecodeError } from '../../netlink/attributes.ts'
import { formatElement, elementTypes } from '../../netlink/nftables/elements.ts'

/** The text of each, and the lines that the kernel runs for it. */
export type ConstantChains = ReadonlyMap<string, { readonly text: string; readonly lines: readonly string[] }>

export class Confirmation {
  readonly #table: RelayTable
  /** Lists one set at no cost, and all of the table for a chain. */
  readonly #nft: Nft
  /** The kernel's form of the constant chains, recorded when a listing by nft showed their text. */
  #chains: ConstantChains = new Map()

  constructor(table: RelayTable, nft: Nft) {
    this.#table = table
    this.#nft = nft
  }

  /** `table` is what nft has just listed. Keep the result only if the generation has not changed since. */
  async readChains(table: Table): Promise<ConstantChains> {
    const constant = new Map<string, { text: string; lines: string[] }>()
    for (const name of constantTable().chains.keys())
      constant.set(name, { text: chainText(table.chains.get(name)), lines: await this.#table.chain(name) })
    return constant
  }

  learn(constant: ConstantChains): void {
    this.#chains = constant
  }

  /** False also where it is not known: then the whole table is to be listed. */
  async holds(change: TableChange): Promise<boolean> {
    const { isRebuilt: isAnew, counters, sets, chains, goneChains, elements, goneSets, goneCounters } = change
    if (isAnew || goneCounters.length > 0) return false
    try {
      for (const [name, chain] of chains) if (!(await this.#holdsChain(name, chain))) return false
      for (const name of goneChains) if (await this.#table.hasChain(name)) return false
      for (const [name] of goneSets) if (await this.#table.hasSet(name)) return false
      for (const [name, set] of sets) if (!(await this.#holdsSet(name, set))) return false
      const stay = elements.filter(({ name }) => goneSets.every(([gone]) => gone !== name))
      for (const one of stay)
        if (!(await (one.set.isInterval ? this.#holdsIntervals(one) : this.#holdsElements(one)))) return false
      return (await this.#table.countersNamed(counters)).length === counters.length
    } catch (error) {
      // What cannot be decoded here is listed by nft, which reports what is wrong.
      if (error instanceof DecodeError || error instanceof KernelError || error instanceof SyntaxError) return false
      throw error
    }
  }

  /** The chain of a port or a rule is decoded, since its bytes are not known in advance. */
  async #holdsChain(name: string, chain: TableChain): Promise<boolean> {
    const constant = this.#chains.get(name)
    if (!constant && chain.declaration === '')
      return (await this.#table.lines(name))?.join('\n') === chain.rules.join('\n')
    return constant?.text === chainText(chain) && constant.lines.join() === (await this.#table.chain(name)).join()
  }

  /** Compares a set's declaration. Its elements are compared elsewhere. */
  async #holdsSet(name: string, { kind, declaration }: TableSet): Promise<boolean> {
    const listed = await this.#nft.list(`list ${kind} ${TABLE} ${name}`)
    const found = listed === null ? undefined : readTable(listed).table.sets.get(name)
    return found?.kind === kind && found.declaration === declaration
  }

  async #holdsElements({ name, set, gone, come }: SetChange): Promise<boolean> {
    const { keys } = elementTypes(set)
    const wanted = new Map(come)
    const found = await this.#table.elementsByKey(name, set, [...wanted.keys()])
    if (
      found?.length !== wanted.size ||
      !found.every(({ key, value }) => wanted.get(formatElement(keys, key)) === value)
    )
      return false
    return this.#lacks(
      name,
      set,
      gone.filter(([key]) => !wanted.has(key)),
    )
  }

  /** A request for many keys fails at the first missing one, so each key is requested by itself. */
  async #lacks(name: string, set: SetChange['set'], gone: readonly Element[]): Promise<boolean> {
    for (const [key] of gone) if (await this.#table.elementsByKey(name, set, [key])) return false
    return true
  }

  async #holdsIntervals({ name, set, come }: SetChange): Promise<boolean> {
    const found = await this.#table.elements(name, set)
    return found !== null && foundIntervals(found).join('\n') === wantedIntervals(come).join('\n')
  }
}

const chainText = (chain: TableChain | undefined): string =>
  chain ? [chain.declaration, ...chain.rules].join('\n') : ''
