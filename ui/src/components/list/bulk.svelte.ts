// One action on many objects, one after another, with the result of each.
import type { Foreseeable } from '@panel/shared/api/impact/impact.ts'
import { toApiError, type ApiError } from '../../core/api-error.ts'
import { Cancelled } from '../../core/cancelled.ts'
import { invalidate } from '../../core/query.svelte.ts'
import type { IconName } from '../icons.ts'

export interface BulkAction<T> {
  readonly id: 'enable' | 'disable' | 'reapply' | 'restart' | 'delete'
  readonly icon: IconName
  /** The rest of the selection is as the action would make it. */
  readonly applies?: (item: T) => boolean
  /** What it means for them, in a sentence. */
  readonly effect?: string
  /** What is sent for an item, where that touches the host. */
  readonly request?: (item: T) => Foreseeable
  readonly work: (item: T) => Promise<unknown>
  readonly undo?: (item: T) => Promise<unknown>
}

export interface Result<T> {
  readonly item: T
  /** Null: done. "skipped": stopped before, or not confirmed. */
  readonly failure: ApiError | 'skipped' | null
}

export class BulkRun<T> {
  readonly items: readonly T[]
  results = $state.raw<readonly Result<T>[]>([])
  isRunning = $state(true)
  #isStopped = false

  constructor(items: readonly T[]) {
    this.items = items
  }

  /** The object at hand is finished first. */
  readonly stop = (): void => void (this.#isStopped = true)

  get failed(): readonly Result<T>[] {
    return this.results.filter(({ failure }) => failure !== null)
  }
  get done(): readonly T[] {
    return this.results.flatMap(({ item, failure }) => (failure === null ? [item] : []))
  }

  async run(work: (item: T) => Promise<unknown>, stale: readonly string[]): Promise<void> {
    for (const item of this.items)
      this.results = [...this.results, { item, failure: this.#isStopped ? 'skipped' : await outcome(() => work(item)) }]
    this.isRunning = false
    await invalidate(...stale)
  }
}

const outcome = async (work: () => Promise<unknown>): Promise<ApiError | 'skipped' | null> => {
  try {
    await work()
    return null
  } catch (thrown) {
    return thrown instanceof Cancelled ? 'skipped' : toApiError(thrown)
  }
}
