// What nft does to our table. It is another process, so the table is let go meanwhile where it is owned.
import { diffTables } from '@panel/shared/ruleset/nft/change.ts'
import { formatChange } from '@panel/shared/ruleset/nft/render.ts'
import { emptyTable, type Table } from '@panel/shared/ruleset/nft/table.ts'
import type { Nft } from './nft.ts'
import type { TableProtection } from './protection.ts'

/** Each resolves with how many generations of the ruleset it made; taking the table again is one of them. */
export class TableWriter {
  readonly #nft: Nft
  readonly #protection: TableProtection

  constructor(nft: Nft, protection: TableProtection) {
    this.#nft = nft
    this.#protection = protection
  }

  async submit(text: string): Promise<number> {
    return 1 + (await this.#protection.letGo(() => this.#nft.submit(text)))
  }

  /** Looked at as a whole and thrown away. */
  async check(text: string): Promise<number> {
    if (this.#protection.owner) return this.#protection.letGo(() => this.#nft.check(text))
    await this.#nft.check(text)
    return 0
  }

  /** A table that is not there. One that is to be protected is made so from the first: the kernel refuses it later. */
  async make(wanted: Table): Promise<number> {
    if (!(await this.#protection.make())) return this.submit(formatChange(diffTables(null, wanted)))
    try {
      return 1 + (await this.submit(formatChange(diffTables(emptyTable(), wanted))))
    } catch (error) {
      await this.#protection.unmake()
      throw error
    }
  }
}
