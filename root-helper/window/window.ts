// A window: every change is remembered while it is open, and taken back by root itself unless it is confirmed in time.
// Changes join it by the journal, which all of them pass.
import { message, verbatim } from '@panel/shared/messages/message.ts'
import type { Change } from '@panel/shared/change/change.ts'
import {
  WINDOW_RULES_MAX,
  WINDOW_SECONDS,
  WINDOW_TUNNELS_MAX,
  type WindowEnd,
  type WindowFound,
  type WindowWayBack,
} from '@panel/shared/window/model.ts'
import type { Params } from '@panel/shared/rpc/methods.ts'
import { damageOf } from '../kernel/files/state-folder.ts'
import { log } from '../log.ts'
import type { InTurn } from '../one-at-a-time.ts'
import type { Clock } from '../path/clock.ts'
import { RefusedError } from '../refused.ts'
import type { Journal } from '../subject.ts'
import { messageOf, oneLine } from '../text.ts'
import type { Undoable } from '../transaction.ts'
import { undoAll, type Stuck } from './undo-all.ts'
import { PARTS, remembered } from './parts.ts'
import type { Ended, Held, WindowRecord } from './record.ts'
import { wayBackOf } from './way-back.ts'

export interface WindowDeps {
  readonly record: WindowRecord
  /** `now` is CLOCK_MONOTONIC, which every process of a boot shares. */
  readonly clock: Clock
  readonly boot_id: string
  readonly inTurn: InTurn
  /** The journal of one change. */
  readonly journal: Journal
  /** The transactions of the nouns, with the journal of one change: what they take back is not remembered. */
  readonly transactions: readonly Undoable[]
  /** Why a file of ours could not be written in one of the folders of the host; null where it could. */
  readonly foldersTrouble: () => Promise<string | null>
}

/** A way back that failed is tried again after so many milliseconds, and from then on after the last of them. */
const AGAIN_MS = [1000, 10_000, 60_000]

export class Windows {
  /** In the place of the journal of one change: what begins while a window is open joins it. */
  readonly journal: Journal
  readonly #deps: WindowDeps
  readonly #watchers = new Set<() => void>()
  #held: Held | null = null
  #ended: Ended | null = null
  #stuck: Stuck | null = null
  #damaged: string | null = null
  #tries = 0
  #callOff: () => void = () => undefined

  constructor(deps: WindowDeps) {
    this.#deps = deps
    let former: Held | null = null
    this.journal = {
      isKept: () => this.#held !== null,
      begin: async (noun, change) => {
        this.#requireNoneEnded()
        former = this.#held
        await this.#remember(noun, change)
        try {
          await deps.journal.begin(noun, change)
        } catch (refused) {
          if (former) await this.#hold(former)
          throw refused
        }
      },
      end: async (holds) => {
        await deps.journal.end(holds)
        await this.#rearm(holds ? null : former)
      },
    }
  }

  /** `onChange` is called whenever a window opens, changes or ends. Returns the function that ends it. */
  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange)
    return () => void this.#watchers.delete(onChange)
  }

  /** Why changes are refused, or what could not be taken back; null where all is well. */
  trouble(): string | null {
    return this.#damaged ?? (this.#stuck && message('root.window_stuck', { why: this.#stuck.detail }).message)
  }

  probe(): WindowFound {
    const [held, stuck, ended] = [this.#held, this.#stuck, this.#ended]
    const keys = (noun: string): string[] => [...(held?.folds[noun]?.keys() ?? [])]
    return {
      window: held && {
        window_id: held.window_id,
        seconds: held.seconds,
        seconds_left: Math.ceil(this.#left() / 1000),
        changes: held.changes,
        is_waiting: held.is_waiting,
        tunnels: keys('tunnel').sort(),
        route_rule_ids: keys('ruleset')
          .map(Number)
          .sort((a, b) => a - b),
        networks: keys('network').sort(),
        is_forwarding_touched: keys('forwarding').length > 0,
        state: stuck ? 'stuck' : held.how === null ? 'open' : 'ending',
        detail: stuck?.detail ?? '',
        remediation: [...(stuck?.remediation ?? [])],
      },
      ended: ended && {
        window_id: ended.window_id,
        how: ended.how,
        seconds_ago: Math.max(0, Math.round(this.#deps.clock.epoch() / 1000 - ended.ended)),
      },
    }
  }

  open = ({ window_id, seconds, starts = 'now' }: Params<'window.open'>): Promise<WindowFound> =>
    this.#inTurn(async () => {
      this.#requireNoneEnded()
      if (this.#held && this.#held.window_id !== window_id)
        throw new RefusedError('window_open', message('root.window_open'))
      const { clock, boot_id } = this.#deps
      const [now, is_waiting] = [clock.now(), starts === 'first_change']
      const deadline = now + 1000 * (is_waiting ? WINDOW_SECONDS.most : seconds)
      const nothing = { changes: 0, how: null, folds: {} }
      if (!this.#held) await this.#hold({ window_id, seconds, boot_id, deadline, changed: now, is_waiting, ...nothing })
    })

  /** Never more than an hour in all after the last change. The time of one that waits begins to run. */
  extend = ({ window_id, seconds }: Params<'window.extend'>): Promise<WindowFound> =>
    this.#inTurn(async () => {
      const held = this.#require(window_id)
      const now = this.#deps.clock.now()
      const changed = held.is_waiting ? now : held.changed
      const deadline = Math.min(now + seconds * 1000, changed + WINDOW_SECONDS.most * 1000)
      await this.#hold({ ...held, is_waiting: false, changed, deadline })
    })

  confirm = ({ window_id }: Params<'window.confirm'>): Promise<WindowFound> =>
    this.#inTurn(async () => {
      const { changes } = this.#require(window_id)
      await this.#deps.record.remove()
      this.#let(null)
      log('info', 'A window is confirmed', { window_id, changes })
    })

  wayBack = async ({ window_id, from_id }: Params<'window.way_back'>): Promise<WindowWayBack> =>
    wayBackOf(this.#requireHeld(window_id).folds, from_id)

  /** Returns once the host is as it was, or stuck. */
  cancel = ({ window_id }: Params<'window.cancel'>): Promise<WindowFound> =>
    this.#inTurn(async () => {
      if (this.#ended?.window_id === window_id) return
      const held = this.#requireHeld(window_id)
      await this.#takeBack(held, held.how ?? 'cancelled')
    })

  /** Forgets a window that ended. If it is stuck, the host stays in its state. Changes begin again. */
  forget = ({ window_id }: Params<'window.forget'>): Promise<WindowFound> =>
    this.#inTurn(async () => {
      if (this.#stuck && this.#held?.window_id === window_id) {
        log('error', 'What a window could not take back is left as it is', { window_id, ...this.#stuck })
        await this.#deps.record.remove()
        this.#let(null)
      } else if (this.#ended?.window_id === window_id) {
        await this.#deps.record.forget()
        this.#ended = null
        this.#tell()
      }
    })

  /** Call it before anything is served, and before rules that a boot lost are brought back. */
  async resume(): Promise<void> {
    const found = this.#readRecord()
    this.#ended = found?.ended ?? null
    if (found?.held) await this.#resume(found.held)
  }

  #readRecord(): ReturnType<WindowRecord['read']> | null {
    try {
      return this.#deps.record.read()
    } catch (error) {
      this.#damaged = damageOf('root.window_damaged', error)
      log('error', this.#damaged)
      return null
    }
  }

  async #resume(held: Held): Promise<void> {
    const { boot_id, clock } = this.#deps
    this.#held = held
    if (held.boot_id !== boot_id) await this.#takeBack(held, held.how ?? 'rebooted')
    else if (held.how !== null || held.deadline <= clock.now()) await this.#takeBack(held, held.how ?? 'expired')
    else this.#let(held)
  }

  #inTurn = (work: () => Promise<void>): Promise<WindowFound> =>
    this.#deps.inTurn(async () => {
      await work()
      return this.probe()
    })

  #left = (): number => (this.#held?.how === null ? Math.max(0, this.#held.deadline - this.#deps.clock.now()) : 0)

  #requireNoneEnded(): void {
    if (this.#damaged !== null) throw new RefusedError('state_unusable', verbatim(this.#damaged))
    if (this.#stuck)
      throw new RefusedError('window_ended', message('root.window_blocks', { why: this.trouble() ?? '' }))
    if (this.#ended) throw new RefusedError('window_ended', message('root.window_ended', { how: this.#ended.how }))
  }

  #require(window_id: string): Held {
    if (this.#held?.window_id === window_id && this.#held.how === null) return this.#held
    const how = this.#ended?.window_id === window_id ? this.#ended.how : null
    throw new RefusedError('window_over', how ? message('root.window_over', { how }) : message('root.no_window'))
  }

  /** Also one that is being taken back. */
  #requireHeld(window_id: string): Held {
    return this.#held?.how != null ? this.#held : this.#require(window_id)
  }

  async #remember(noun: string, change: Change<unknown>): Promise<void> {
    const [held, parts] = [this.#held, PARTS[noun]]
    if (!held || !parts) return
    const fold = remembered(held.folds[noun] ?? new Map(), change, parts)
    if (fold.size > (noun === 'tunnel' ? WINDOW_TUNNELS_MAX : WINDOW_RULES_MAX))
      throw new RefusedError('irreversible', message('root.window_full'))
    const trouble = await this.#deps.foldersTrouble()
    if (trouble !== null) throw new RefusedError('irreversible', verbatim(trouble))
    const deadline = held.is_waiting ? this.#deps.clock.now() + held.seconds * 1000 : held.deadline
    const folds = { ...held.folds, [noun]: fold }
    await this.#hold({ ...held, changes: held.changes + 1, is_waiting: false, deadline, folds })
  }

  /**
   * The time runs from the end of a change. One that was put back has changed nothing, and the window is as `former`.
   */
  async #rearm(former: Held | null): Promise<void> {
    const held = former ?? this.#held
    if (!held) return
    const now = this.#deps.clock.now()
    const deadline = Math.max(held.deadline, now + held.seconds * 1000)
    await this.#hold(former ?? { ...held, changed: now, deadline })
  }

  async #hold(held: Held): Promise<void> {
    await this.#deps.record.write(held)
    this.#let(held)
  }

  /** Sets the alarm of an open window; null is none. */
  #let(held: Held | null): void {
    this.#callOff()
    this.#held = held
    this.#stuck = null
    this.#tries = 0
    if (held) this.#callOff = this.#deps.clock.after(this.#left(), () => this.#expire())
    this.#tell()
  }

  /** Waits for the change that is under way, which gives the window more time. */
  #expire(): void {
    const work = async (): Promise<void> => {
      if (this.#held && (this.#held.how !== null || this.#left() === 0))
        await this.#takeBack(this.#held, this.#held.how ?? 'expired')
    }
    void this.#deps.inTurn(work, 'own')
  }

  /** Plans from what is found, so that it can be begun again after whatever stopped it. */
  async #takeBack(held: Held, how: WindowEnd): Promise<void> {
    this.#callOff()
    this.#held = { ...held, how }
    this.#tell()
    // Where it cannot be written, the next helper finds a window whose time is over.
    await this.#deps.record
      .write(this.#held)
      .catch((error: unknown) =>
        log('warning', 'That a window is being taken back cannot be recorded', { detail: messageOf(error) }),
      )
    const stuck = (await undoAll(this.#deps.transactions, held)) ?? (await this.#end(held, how))
    if (stuck) this.#tryAgain(stuck)
  }

  async #end({ window_id }: Held, how: WindowEnd): Promise<Stuck | null> {
    const ended: Ended = { window_id, how, ended: Math.round(this.#deps.clock.epoch() / 1000) }
    try {
      await this.#deps.record.end(ended)
    } catch (error) {
      return { detail: oneLine(messageOf(error)), remediation: [] }
    }
    this.#ended = ended
    log('warning', 'A window has ended', { window_id, how })
    this.#let(null)
    return null
  }

  #tryAgain(stuck: Stuck): void {
    const wait = AGAIN_MS[Math.min(this.#tries, AGAIN_MS.length - 1)] ?? 0
    this.#stuck = stuck
    this.#tries += 1
    log('error', 'What was not confirmed cannot be taken back', { ...stuck, again_ms: wait })
    this.#callOff = this.#deps.clock.after(wait, () => this.#expire())
    this.#tell()
  }

  #tell(): void {
    for (const onChange of this.#watchers) onChange()
  }
}
