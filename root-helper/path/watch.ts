// path.watch: many targets, each in its rhythm, their sends spread evenly over the time.
import { isDeepStrictEqual } from 'node:util'
import { message } from '@panel/shared/messages/message.ts'
import {
  WATCH_BATCH_MAX,
  WATCH_TARGETS_MAX,
  type WatchItem,
  type WatchResult,
  type WatchTarget,
} from '@panel/shared/path/model.ts'
import type { Params, Result } from '@panel/shared/rpc/methods.ts'
import { KernelError } from '../kernel-error.ts'
import { whyUnreachable, canonicalPath } from '../policy.ts'
import { RefusedError } from '../refused.ts'
import { totalLoad, NO_LOAD, type Load } from './budget.ts'
import type { EchoLine } from './echoes.ts'
import type { PathDeps } from './deps.ts'
import { Outbox } from './outbox.ts'
import { WatchedTarget } from './target.ts'

const WATCHES_MAX = 8
const GATHER_MS = 100
/** Ten seconds of results of two thousand targets that are probed every second. */
const WAITING_MAX = 20_000
/** The golden ratio: the fractional parts of its multiples lie evenly in a turn, however many there are. */
const GOLDEN = 0.618_033_988_749_895

type Watching = AsyncGenerator<WatchItem, Result<'path.watch'>, void>

export class Watches {
  readonly #deps: PathDeps
  readonly #running = new Map<number, Watch>()
  #lastId = 0

  constructor(deps: PathDeps) {
    this.#deps = deps
  }

  async *run({ targets }: Params<'path.watch'>, signal: AbortSignal): Watching {
    if (this.#running.size >= WATCHES_MAX)
      throw new RefusedError('busy', message('root.watches_full', { count: WATCHES_MAX }))
    const outbox = new Outbox<WatchResult>(this.#deps.clock, signal, WAITING_MAX)
    const watch = new Watch(this.#deps, (result) => outbox.push(result))
    const watch_id = ++this.#lastId
    this.#running.set(watch_id, watch)
    try {
      watch.change(targets, [])
      yield { watch_id, results: [], lost: 0 }
      for (
        let taken = await outbox.take(WATCH_BATCH_MAX, GATHER_MS);
        taken;
        taken = await outbox.take(WATCH_BATCH_MAX, GATHER_MS)
      )
        yield { watch_id, results: taken.items, lost: taken.lost }
      return {}
    } finally {
      this.#running.delete(watch_id)
      watch.close()
    }
  }

  /** Whether there is such a watch. */
  change({ watch_id, put, gone }: Params<'path.watch_change'>): boolean {
    const watch = this.#running.get(watch_id)
    watch?.change(put, gone)
    return watch !== undefined
  }
}

class Watch {
  readonly #deps: PathDeps
  readonly #send: (result: WatchResult) => void
  readonly #targets = new Map<number, WatchedTarget>()
  #load: Load = NO_LOAD
  #phases = 0

  constructor(deps: PathDeps, report: (result: WatchResult) => void) {
    this.#deps = deps
    this.#send = report
  }

  /** All of it, or where it is refused nothing. */
  change(put: readonly WatchTarget[], gone: readonly number[]): void {
    const next = new Map([...this.#targets].map(([id, { settings }]) => [id, settings]))
    for (const id of gone) next.delete(id)
    for (const target of put) next.set(target.target_id, { ...target, ...canonicalPath(target) })
    if (next.size > WATCH_TARGETS_MAX)
      throw new RefusedError('busy', message('root.targets_full', { count: next.size, most: WATCH_TARGETS_MAX }))
    this.#take(totalLoad([...next.values()]))
    for (const [id, target] of this.#targets) if (!next.has(id)) this.#drop(target)
    for (const settings of next.values()) this.#put(settings)
  }

  close(): void {
    for (const target of this.#targets.values()) this.#drop(target)
    this.#take(NO_LOAD)
  }

  #take(load: Load): void {
    this.#deps.budget.exchange(this.#load, load)
    this.#load = load
  }

  #put(settings: WatchTarget): void {
    const before = this.#targets.get(settings.target_id)
    if (before && isDeepStrictEqual(before.settings, settings)) return
    if (before) this.#drop(before)
    const { clock, echoes, schedule } = this.#deps
    const reason = whyUnreachable(settings)
    const target = new WatchedTarget(
      settings,
      {
        clock,
        open: (receive) => (reason === null ? echoes.open(settings, receive) : lineThatRefuses(reason.message)),
        report: this.#send,
      },
      (this.#phases++ * GOLDEN) % 1,
      before?.lastSequence ?? 0,
    )
    this.#targets.set(settings.target_id, target)
    schedule.add(target, target.due)
  }

  #drop(target: WatchedTarget): void {
    this.#targets.delete(target.settings.target_id)
    this.#deps.schedule.remove(target)
    target.close()
  }
}

/** One target that is not allowed does not prevent watching the others. */
const lineThatRefuses = (why: string): EchoLine => ({ send: () => new KernelError('', why), close: () => undefined })
