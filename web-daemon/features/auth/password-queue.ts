// Comparing a password takes a processor a quarter of a second. Of those that come from nowhere known one is compared
// at a time and few wait, so that a flood of sign-ins costs those who send it; who comes from a known address, or is
// signed in, has a place of their own and goes first.
import { message } from '@panel/shared/messages/message.ts'
import { Refusal } from '../../platform/http/refusal.ts'

/** The limits of each of the two lines. */
export const QUEUE = { at_once: 1, waiting: 6 } as const
const RETRY_AFTER_SECONDS = 2

export class PasswordQueue {
  readonly #first = new Line()
  readonly #others = new Line()

  run<T>(isFirst: boolean, work: () => Promise<T>): Promise<T> {
    return (isFirst ? this.#first : this.#others).run(work)
  }
}

class Line {
  readonly #waiting: (() => void)[] = []
  #running = 0

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < QUEUE.at_once) this.#running += 1
    else await this.#wait()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  /** The place of the one before is handed on, so nobody else takes it meanwhile. */
  #wait(): Promise<void> {
    if (this.#waiting.length >= QUEUE.waiting) throw busy()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

const busy = (): Refusal =>
  new Refusal('SERVICE_UNAVAILABLE', message('panel.too_many_sign_ins', { seconds: RETRY_AFTER_SECONDS }), {
    details: { reason: 'busy', retry_after_seconds: RETRY_AFTER_SECONDS },
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  })
