// Root's part of the probing, without packets: holds the targets as `path.watch` would, and tells what the test says
// became of their probes.
import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import type { ProbeOutcome, WatchItem, WatchTarget } from '@panel/shared/path/model.ts'
import { METHODS, type Params, type Writer } from '@panel/shared/rpc/methods.ts'
import type { Streamer } from '@panel/web-daemon/platform/helper/streams.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'

interface Watch {
  readonly watch_id: number
  /** In the order of their coming. */
  readonly targets: Map<number, WatchTarget & { sequence: number }>
  readonly tell: (item: WatchItem) => void
  readonly fail: (why: Error) => void
}

const ajv = new Ajv({ strictTypes: false })
const asSchemaSays = (schema: object, output: unknown): void =>
  assert.ok(ajv.validate(schema, output), `out of shape: ${JSON.stringify(ajv.errors)}`)

export class FakeProber {
  /** The failure of the next watch, if set. */
  refusal: Error | null = null
  /** How many watches were begun, and every change of them. */
  begun = 0
  readonly changes: Params<'path.watch_change'>[] = []
  #watch: Watch | null = null

  /** Answers watches; every other request goes on to `ask`. */
  asking = (request: Writer): Writer =>
    (async (method, params) => {
      if (method !== 'path.watch_change') return request(method, params)
      asSchemaSays(METHODS['path.watch_change'].params, params)
      return { was_running: this.#change(params as Params<'path.watch_change'>) }
    }) as Writer

  streaming = (stream: Streamer): Streamer =>
    (async (method, params, onItem, signal) => {
      if (method !== 'path.watch') return stream(method, params, onItem, signal)
      asSchemaSays(METHODS['path.watch'].params, params)
      signal.throwIfAborted()
      if (this.refusal) throw this.refusal
      return new Promise((resolve, reject) =>
        this.#begin(
          params as Params<'path.watch'>,
          { tell: onItem as Watch['tell'], fail: reject, end: resolve as () => void },
          signal,
        ),
      )
    }) as Streamer

  get targets(): WatchTarget[] {
    return [...(this.#watch?.targets.values() ?? [])].map(({ sequence: _, ...target }) => target)
  }

  /** The target of an interface. */
  of(interface_name: string): WatchTarget | undefined {
    return this.targets.find((target) => target.interface_name === interface_name)
  }

  /** So many more probes of the tunnel are answered. */
  answer(interface_name: string, count = 1, rtt_us = 10_000): void {
    this.#decide(interface_name, count, 'reply', rtt_us)
  }

  /** So many more are lost. */
  lose(
    interface_name: string,
    count = 1,
    outcome: Exclude<ProbeOutcome, 'reply' | 'late'> = 'timeout',
    detail = '',
  ): void {
    this.#decide(interface_name, count, outcome, null, detail)
  }

  /** The newest is answered after all. */
  answerLate(interface_name: string, rtt_us = 2_500_000): void {
    const target = this.#target(interface_name)
    this.#tell([resultOf(target, target.sequence, 'late', rtt_us, '')])
  }

  /** Every tunnel that is probed has the newest of its probes answered. */
  answerAll(count = 1): void {
    for (const { interface_name } of this.targets) this.answer(interface_name, count)
  }

  /** The helper goes away, as when it is restarted. */
  breakDown(why: Error = helperAway('ECONNRESET')): void {
    const watch = this.#watch
    this.#watch = null
    watch?.fail(why)
  }

  #begin(
    { targets }: Params<'path.watch'>,
    { tell, fail, end }: { tell: Watch['tell']; fail: Watch['fail']; end: (result: object) => void },
    signal: AbortSignal,
  ): void {
    const checked = (item: WatchItem): void => {
      asSchemaSays(METHODS['path.watch'].item, item)
      tell(item)
    }
    this.begun += 1
    const watch: Watch = {
      watch_id: this.begun,
      targets: new Map(targets.map((target) => [target.target_id, { ...target, sequence: 0 }])),
      tell: checked,
      fail,
    }
    this.#watch = watch
    signal.addEventListener(
      'abort',
      () => {
        if (this.#watch === watch) this.#watch = null
        end({})
      },
      { once: true },
    )
    setImmediate(() => this.#watch === watch && checked({ watch_id: watch.watch_id, results: [], lost: 0 }))
  }

  #change(change: Params<'path.watch_change'>): boolean {
    this.changes.push(change)
    const watch = this.#watch
    if (!watch || watch.watch_id !== change.watch_id) return false
    for (const target of change.put)
      watch.targets.set(target.target_id, { ...target, sequence: watch.targets.get(target.target_id)?.sequence ?? 0 })
    for (const target_id of change.gone) watch.targets.delete(target_id)
    return true
  }

  #decide(interface_name: string, count: number, outcome: ProbeOutcome, rtt_us: number | null, detail = ''): void {
    const target = this.#target(interface_name)
    this.#tell(Array.from({ length: count }, () => resultOf(target, ++target.sequence, outcome, rtt_us, detail)))
  }

  #target(interface_name: string): WatchTarget & { sequence: number } {
    const target = [...(this.#watch?.targets.values() ?? [])].find((one) => one.interface_name === interface_name)
    if (!target)
      throw new Error(
        `${interface_name} is not probed; ${this.targets.map((one) => one.interface_name).join(', ') || 'nothing'} is`,
      )
    return target
  }

  #tell(results: WatchItem['results']): void {
    if (this.#watch) this.#watch.tell({ watch_id: this.#watch.watch_id, results, lost: 0 })
  }
}

const resultOf = (
  { target_id }: WatchTarget,
  sequence: number,
  outcome: ProbeOutcome,
  rtt_us: number | null,
  detail: string,
): WatchItem['results'][number] => ({
  target_id,
  sequence,
  outcome,
  sent_at_ms: Date.now(),
  rtt_us,
  detail,
  pending: 0,
})
