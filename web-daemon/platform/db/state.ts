// Whether the store works, as its users find out; for health and the log.
import { errorCode, fileTrouble, storeTrouble, type Trouble } from './trouble.ts'

/** How long all callers together wait for a lock of another program. */
export const BUSY_WAIT_MS = 5000

export class StoreState {
  #trouble: Trouble | null = null
  #locked_since: number | null = null
  #listener: (trouble: Trouble | null, code: string) => void = () => undefined

  get trouble(): Trouble | null {
    return this.#trouble
  }

  /** `listener` is called when a trouble begins, and with null when it ends. */
  onChange(listener: (trouble: Trouble | null, code: string) => void): void {
    this.#listener = listener
  }

  /** Whether to retry a statement that failed on a lock. */
  shouldRetry(failure: unknown): boolean {
    if (storeTrouble(failure)?.reason !== 'locked') return false
    const now = performance.now()
    this.#locked_since ??= now
    return now - this.#locked_since < BUSY_WAIT_MS
  }

  onFailure(failure: unknown): void {
    const trouble = fileTrouble(failure)
    if (!trouble || this.#trouble?.reason === 'damaged') return
    const isNew = trouble.reason !== this.#trouble?.reason
    this.#trouble = trouble
    if (isNew) this.#listener(trouble, errorCode(failure))
  }

  /**
   * A write succeeded, and is final if `isCommitted`. It does not prove that damage is gone: only a restart checks the
   * whole file.
   */
  onWrite(isCommitted: boolean): void {
    this.#locked_since = null
    if (!isCommitted || !this.#trouble || this.#trouble.reason === 'damaged') return
    this.#trouble = null
    this.#listener(null, '')
  }
}
