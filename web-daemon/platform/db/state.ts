// Whether the store works, as its users find out; for health and the log.
import { errorCode, fileTrouble, storeTrouble, troubleOf, type Reason, type Trouble } from './trouble.ts'

/** How long all callers together wait for a lock of another program. */
export const BUSY_WAIT_MS = 5000

/** That something else could be written does not end these. */
export const OUTLASTING_WRITES: readonly Reason[] = ['damaged', 'unrecorded']

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
    this.#begin(trouble, errorCode(failure))
  }

  /** The lock of the writer was free. */
  onLock(): void {
    this.#locked_since = null
  }

  /**
   * A write is committed. One that found nothing to change succeeds on a full disk as well; and none proves that damage
   * is gone: only a restart checks the whole file.
   */
  onWrite(hasChanged: boolean): void {
    this.onLock()
    const { trouble } = this
    if (trouble && (hasChanged || trouble.reason === 'locked') && !OUTLASTING_WRITES.includes(trouble.reason))
      this.#end()
  }

  /** Awaits an entry of the audit log: one that fails for whatever reason is a trouble until one does not. */
  async recording<T>(entry: Promise<T>): Promise<T> {
    try {
      const written = await entry
      if (this.#trouble?.reason === 'unrecorded') this.#end()
      return written
    } catch (failure) {
      if (!this.#trouble) this.#begin(troubleOf('unrecorded'), errorCode(failure))
      throw failure
    }
  }

  #begin(trouble: Trouble, code: string): void {
    const isNew = trouble.reason !== this.#trouble?.reason
    this.#trouble = trouble
    if (isNew) this.#listener(trouble, code)
  }

  #end(): void {
    this.#trouble = null
    this.#listener(null, '')
  }
}
