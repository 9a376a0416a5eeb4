// Tells when somebody else has changed nftables' ruleset: the kernel numbers its generations, and asking for the number costs next to nothing.
// Its own announcements (NFNLGRP_NFTABLES) are not listened to: for the sake of a listener it writes a message of a page for each object of a
// transaction, which made loading 10,000 rules three times slower, and would do so to every large set that other software loads.
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'

const LOOK_EVERY_MS = 500

export class RulesetChanges {
  readonly #ofOthers: () => Promise<number>
  readonly #everyMs: number
  /** Null before it was asked for, or where the kernel does not say. */
  #known: number | null = null

  /** `ofOthers`: the last generation that is not of our own making, of which nobody is told, since who asked for it knows. */
  constructor(ofOthers: () => Promise<number>, everyMs = LOOK_EVERY_MS) {
    this.#ofOthers = ofOthers
    this.#everyMs = everyMs
  }

  /** Returns the function that ends it. One watch at a time. */
  watch(tell: () => void): () => void {
    let isClosed = false
    let timer: NodeJS.Timeout | undefined
    this.#known = null
    const look = async (): Promise<void> => {
      const before = this.#known
      const now = await this.#now()
      if (isClosed) return
      this.#known = now
      if (before !== null && now !== null && now !== before) tell()
      timer = setTimeout(() => void look(), this.#everyMs)
    }
    void look()
    return () => {
      isClosed = true
      clearTimeout(timer)
    }
  }

  /** Null where the kernel does not say, as where it has no nftables. */
  async #now(): Promise<number | null> {
    try {
      return await this.#ofOthers()
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      if (this.#known !== null) log('warning', 'Changes of the ruleset are not seen for now', { detail: error.message })
      return null
    }
  }
}
