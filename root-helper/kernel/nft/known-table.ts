// Our table as it was listed last, which is valid as long as the ruleset is of the same generation: reading ten thousand
// rules takes seconds.
import { readRuleset, type Compiled, type RulesetRead } from '@panel/shared/ruleset/nft/read.ts'
import { TABLE } from '@panel/shared/ruleset/nft/table.ts'
import { sharedRead } from '../../shared-read.ts'
import type { Confirmation } from './confirmation.ts'
import type { Generations } from './generations.ts'
import type { Nft } from './nft.ts'

export const LIST_TABLE = `list table ${TABLE}`

interface Cached {
  readonly generation: number
  readonly read: RulesetRead | null
}

export class KnownTable {
  readonly #nft: Nft
  readonly #generations: Generations
  readonly #confirmation: Confirmation
  #cached: Cached | null = null
  /** What was submitted last: where the listing is of that, nothing is compiled to read it. */
  expected: Compiled | null = null

  constructor(nft: Nft, generations: Generations, confirmation: Confirmation) {
    this.#nft = nft
    this.#generations = generations
    this.#confirmation = confirmation
  }

  get cached(): Cached | null {
    return this.#cached
  }

  /** Null where our table is not there. */
  readonly read = sharedRead(() => this.#list())

  async #list(): Promise<RulesetRead | null> {
    const generation = await this.#generations.now()
    if (this.#cached?.generation === generation) return this.#cached.read
    const listed = await this.#nft.list(LIST_TABLE)
    const read = listed === null ? null : readRuleset(listed, this.expected)
    const chains = read && (await this.#confirmation.readChains(read.table))
    if ((await this.remember(generation, read)) && chains) this.#confirmation.learn(chains)
    return read
  }

  /** Returns false for a listing during which the ruleset changed: it belongs to no generation. */
  async remember(generation: number, read: RulesetRead | null): Promise<boolean> {
    const isOfOne = generation === (await this.#generations.now())
    this.#cached = isOfOne ? { generation, read } : null
    return isOfOne
  }

  forget(): void {
    this.#cached = null
  }

  /** Of the rules `work` changes nothing, so what was read before stays valid. It returns how many generations it made. */
  async keeping(work: () => Promise<number>): Promise<void> {
    const cached = this.#cached
    const generations = await this.#generations.during(work)
    if (cached && cached.generation === generations?.before) await this.remember(generations.after, cached.read)
  }
}
