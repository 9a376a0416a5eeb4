// One change to the host at a time (decisions.md, W12): the others wait in line, and give up after half a minute.
import { message } from '@panel/shared/messages/message.ts'
import { Refusal } from '../platform/http/refusal.ts'

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export const WAIT_MS = 30_000

export const makeQueue = (waitMs: number = WAIT_MS): InTurn => {
  const line = new Line(waitMs)
  return async (work) => {
    await line.enter()
    try {
      return await work()
    } finally {
      line.leave()
    }
  }
}

class Line {
  readonly #waitMs: number
  readonly #waiting: (() => void)[] = []
  #isTaken = false

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  async enter(): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true
      return
    }
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(
          new Refusal('SERVICE_UNAVAILABLE', message('panel.other_change'), {
            details: { reason: 'busy' },
          }),
        )
      }, this.#waitMs)
      this.#waiting.push(begin)
    })
  }

  /** The place is handed over, never free in between, so a newcomer cannot slip ahead of the line. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isTaken = false
  }
}
