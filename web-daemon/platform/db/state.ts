// Remembers whether the store works, as its users find out, so that health and the log can tell of it.
import { errorCode, storeTrouble, type Trouble } from './trouble.ts'

/** So long is waited for a lock of another program, by all who wait together and not by each anew. */
export const BUSY_WAIT_MS = 5000

export class StoreState {
  #trouble: Trouble | null = null
  #locked_since: number | null = null
  #listener: (trouble: Trouble | null, code: string) => void = () => undefined

  get trouble(): Trouble | null {
    return this.#trouble
  }

  /** `tell` hears of each trouble as it begins, and with null of its end. */
  onChange(listener: (trouble: Trouble | null, code: string) => void): void {
    this.#listener = listener
  }

  /** Whether to try a statement again that met a lock. */
  shouldRetry(failure: unknown): boolean {
    if (storeTrouble(failure)?.reason !== 'locked') return false
    const now = performance.now()
    this.#locked_since ??= now
    return now - this.#locked_since < BUSY_WAIT_MS
  }

  onFailure(failure: unknown): void {
    const trouble = storeTrouble(failure)
    if (!trouble || this.#trouble?.reason === 'damaged') return
    const isNew = trouble.reason !== this.#trouble?.reason
    this.#trouble = trouble
    if (isNew) this.#listener(trouble, errorCode(failure))
  }

  /** A statement that writes went through, and stays if `isCommitted`. Of damage that proves nothing: only a restart looks at all of the file. */
  onWrite(isCommitted: boolean): void {
    this.#locked_since = null
    if (!isCommitted || !this.#trouble || this.#trouble.reason === 'damaged') return
    this.#trouble = null
    this.#listener(null, '')
  }
}
