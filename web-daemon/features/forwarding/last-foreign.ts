// What was read last of the rules of other software: reading them may start a program, and a preview starts none
// (decisions.md, S26).
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import type { Result, Writer } from '@panel/shared/rpc/methods.ts'

export class LastForeign {
  #found: ForeignFound | null = null
  /** How often they may have changed. */
  #changes = 0

  /** Null if they have not been read since they changed. */
  get found(): ForeignFound | null {
    return this.#found
  }

  onHostEvents(events: readonly HostEvent[]): void {
    if (!events.some(({ subject }) => subject === 'ruleset' || subject === 'lost')) return
    this.#found = null
    this.#changes += 1
  }

  /** The same writer, whose answers about them are kept. */
  keeping(request: Writer): Writer {
    return async (method, params) => {
      const before = this.#changes
      const answer = await request(method, params)
      if (method === 'netfilter.probe' && before === this.#changes) this.#found = answer as Result<'netfilter.probe'>
      return answer
    }
  }
}
