// Work that is put back as a whole has the panel for itself: it waits for the commands that are under way, and others
// are refused until it is over.
import { message } from '@panel/shared/messages/message.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export class Exclusive {
  #isUnderWay = false
  #isUndisturbed = false
  /** Commands, with the one that wants to be alone. */
  #commands = 0
  #onAlone: () => void = () => undefined

  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  /** Whether the end of a window must not be reported yet. */
  get isUndisturbed(): boolean {
    return this.#isUndisturbed
  }

  requireNone(): void {
    if (this.#isUnderWay) throw new Refusal('SAFE_APPLY_UNDER_WAY', message('safe_apply.whole_under_way'))
  }

  /** A command, which may itself ask to be alone. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    this.requireNone()
    this.#commands += 1
    try {
      return await work()
    } finally {
      this.#commands -= 1
      if (this.#commands <= 1) this.#onAlone()
    }
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.requireNone()
    this.#isUnderWay = true
    try {
      if (this.#commands > 1) await new Promise<void>((resolve) => (this.#onAlone = resolve))
      return await work()
    } finally {
      this.#isUnderWay = false
    }
  }

  async undisturbed<T>(work: () => Promise<T>): Promise<T> {
    this.#isUndisturbed = true
    try {
      return await work()
    } finally {
      this.#isUndisturbed = false
    }
  }
}
