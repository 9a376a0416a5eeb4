// Limits how often pairing codes are decoded (decisions.md, section 4, 429), because each has to be unpacked.
import { throwRateLimited } from '../../../platform/limits/refuse.ts'
import { SlidingWindow } from '../../../platform/limits/sliding-window.ts'

/** Far above what people do; at this rate decoding takes about a hundredth of one processor. */
export const DECODINGS_PER_MINUTE = 3000
const MINUTE_MS = 60_000

export class PairingThrottle {
  readonly #decodings: SlidingWindow

  constructor(now: () => Date) {
    this.#decodings = new SlidingWindow(DECODINGS_PER_MINUTE, MINUTE_MS, now)
  }

  /** Throws 429 if the operator has decoded too many. */
  admit(operator: string): void {
    throwRateLimited(this.#decodings.secondsToWait(operator))
    this.#decodings.add(operator)
  }
}
