// Detects that another program has changed the nftables ruleset: the kernel numbers its generations, and reading the
// number is almost free. Its own announcements (NFNLGRP_NFTABLES) are not received: with a listener it writes a message
// of a page for each object of a transaction, which made loading 10,000 rules three times slower, and would do so to
// every large set that other software loads. They are received for a while, for the names in them, only if the panel
// has to put the same rules back again and again.
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import { RulesetWriters } from './writers.ts'

const POLL_EVERY_MS = 500

export class RulesetChanges {
  readonly #ofOthers: () => Promise<number>
  readonly #everyMs: number
  readonly #writers: Pick<RulesetWriters, 'listen' | 'since' | 'end'>
  /** Null before the first poll, or where the kernel does not report it. */
  #generation: number | null = null

  /**
   * `ofOthers` is the last generation that is not our own. Our own changes are not reported, since their requesters
   * know of them.
   */
  constructor(
    ofOthers: () => Promise<number>,
    everyMs = POLL_EVERY_MS,
    writers: Pick<RulesetWriters, 'listen' | 'since' | 'end'> = new RulesetWriters(),
  ) {
    this.#ofOthers = ofOthers
    this.#everyMs = everyMs
    this.#writers = writers
  }

  nameWriters(): void {
    this.#writers.listen()
  }

  /** `onChange` receives who did it, or "". Returns the function that ends it. One watch at a time. */
  watch(onChange: (by: string) => void): () => void {
    let isClosed = false
    let timer: NodeJS.Timeout | undefined
    this.#generation = null
    const poll = async (): Promise<void> => {
      const before = this.#generation
      const now = await this.#now()
      if (isClosed) return
      this.#generation = now
      if (before !== null && now !== null && now !== before) onChange(this.#writers.since(before))
      timer = setTimeout(() => void poll(), this.#everyMs)
    }
    void poll()
    return () => {
      isClosed = true
      clearTimeout(timer)
      this.#writers.end()
    }
  }

  /** Null where the kernel does not say, as where it has no nftables. */
  async #now(): Promise<number | null> {
    try {
      return await this.#ofOthers()
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      if (this.#generation !== null)
        log('warning', 'Changes of the ruleset are not seen for now', { detail: error.message })
      return null
    }
  }
}
