// The generations of the nftables ruleset, and which of them our own transactions made: across those, no other program
// can have changed anything.

interface Span {
  readonly before: number
  readonly after: number
}

export class Generations {
  readonly now: () => Promise<number>
  /** Each generation after the first number, up to the second, is our own. */
  #ours: readonly [number, number] = [0, 0]
  #begun = 0
  #underWay: Promise<unknown> = Promise.resolve()

  constructor(now: () => Promise<number>) {
    this.now = now
  }

  /** The last generation that others may have made. A query during a transaction of ours waits for its end. */
  async ofOthers(): Promise<number> {
    const now = await this.#settled()
    const [before, last] = this.#ours
    return before < now && now <= last ? before : now
  }

  /**
   * Runs a transaction of ours, which resolves with how many generations it made; two never overlap. Returns the
   * generations before and after it, or null if another program changed something during it. `of` is the generation
   * that the kernel itself holds the transaction to, so that it need not be read.
   */
  during(transaction: () => Promise<number>, of?: number): Promise<Span | null> {
    this.#begun += 1
    const work = this.#during(transaction, of)
    this.#underWay = work.catch(() => undefined)
    return work
  }

  /** A generation that was read while no transaction of ours ran. */
  async #settled(): Promise<number> {
    for (;;) {
      await this.#underWay
      const begun = this.#begun
      const now = await this.now()
      if (begun === this.#begun) return now
    }
  }

  async #during(transaction: () => Promise<number>, of?: number): Promise<Span | null> {
    const before = of ?? (await this.now())
    const made = await transaction()
    const after = await this.now()
    if (after !== before + made) return null
    this.#ours = [this.#ours[1] === before ? this.#ours[0] : before, after]
    return { before, after }
  }
}
