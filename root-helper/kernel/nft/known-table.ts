// Our table as it was listed last, which is valid as long as the ruleset is of the same generation, or what the kernel
// holds of the table has the same fingerprint: reading ten thousand rules takes seconds.
import { readRuleset, type Compiled, type RulesetRead } from '@panel/shared/ruleset/nft/read.ts'
import { TABLE } from '@panel/shared/ruleset/nft/table.ts'
import { sharedRead } from '../../shared-read.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { Confirmation } from './confirmation.ts'
import { KernelError } from '../../kernel-error.ts'
import type { Generations } from './generations.ts'
import { DecodeError } from '../../netlink/attributes.ts'
import type { Nft } from './nft.ts'
import type { RelayTable } from './relay-table.ts'

const LIST_TABLE = `list table ${TABLE}`

interface Cached {
  readonly generation: number
  readonly read: RulesetRead | null
}

export class KnownTable {
  readonly #nft: Nft
  readonly #table: Pick<RelayTable, 'handle' | 'fingerprint'>
  readonly #generations: Generations
  readonly #confirmation: Confirmation
  #cached: Cached | null = null
  #listing: { readonly read: RulesetRead; readonly fingerprint: string } | null = null
  /** What was submitted last: where the listing is of that, nothing is compiled to read it. */
  expected: Compiled | null = null

  constructor(
    nft: Nft,
    table: Pick<RelayTable, 'handle' | 'fingerprint'>,
    generations: Generations,
    confirmation: Confirmation,
  ) {
    this.#nft = nft
    this.#table = table
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
    const kept = await this.#keptListing()
    if (kept) {
      await this.remember(generation, kept)
      return kept
    }
    const read = await this.#listed()
    const chains = read && (await this.#confirmation.readChains(read.table))
    const fingerprint = read && (await this.#fingerprint(read))
    const isOfOne = await this.remember(generation, read)
    if (isOfOne && chains) this.#confirmation.learn(chains)
    this.#listing = isOfOne && read && fingerprint !== null ? { read, fingerprint } : null
    return read
  }

  /** The last listing, if the kernel holds the table as it was then; another program changed something else. */
  async #keptListing(): Promise<RulesetRead | null> {
    const listing = this.#listing
    if (!listing) return null
    return (await this.#fingerprint(listing.read)) === listing.fingerprint ? listing.read : null
  }

  /** Null where another program changes the ruleset without end, or has put something into the table that is not known. */
  async #fingerprint({ table }: RulesetRead): Promise<string | null> {
    try {
      return await this.#table.fingerprint(table.sets)
    } catch (error) {
      if (error instanceof KernelError || error instanceof DecodeError) return null
      throw error
    }
  }

  /** The kernel itself says whether the table is there: an nft that fails is no sign of its absence. */
  async #listed(): Promise<RulesetRead | null> {
    if ((await this.#table.handle()) === null) return null
    const listed = await this.#nft.list(LIST_TABLE)
    if (listed !== null) return readListing(listed, this.expected)
    if ((await this.#table.handle()) === null) return null
    throw new KernelError('EPROTO', message('root.nft_denies').message)
  }

  /** Returns false for a listing during which the ruleset changed: it belongs to no generation. */
  async remember(generation: number, read: RulesetRead | null): Promise<boolean> {
    const isOfOne = generation === (await this.#generations.now())
    this.#cached = isOfOne ? { generation, read } : null
    return isOfOne
  }

  /** Call it where a table that was read is written to. */
  forget(): void {
    this.#cached = this.#listing = null
  }

  /**
   * Runs `work`, which changes no rules, so what was read before stays valid. It returns how many generations it made.
   */
  async keeping(work: () => Promise<number>): Promise<void> {
    const cached = this.#cached
    const generations = await this.#generations.during(work)
    if (cached && cached.generation === generations?.before) await this.remember(generations.after, cached.read)
  }
}

function readListing(listed: string, expected: Compiled | null): RulesetRead {
  try {
    return readRuleset(listed, expected)
  } catch (error) {
    if (error instanceof SyntaxError) throw new KernelError('EPROTO', message('root.nft_garbled').message)
    throw error
  }
}
