// Commands that are meant for one window. They are carried out in it or refused: a change that an operator makes in
// trust that it comes back is never made for good because the time ran out while he typed.
import { message } from '@panel/shared/messages/message.ts'
import type { WindowFound } from '@panel/shared/window/model.ts'
import type { CommandContext } from '../../platform/context.ts'
import { windowOver } from './over.ts'
import { findEnd } from './store.ts'

export class Named {
  readonly #deps: Pick<CommandContext, 'db' | 'inTurn'>
  readonly #follow: () => Promise<WindowFound>
  #commands = 0
  #onNone: (() => void)[] = []

  constructor(deps: Pick<CommandContext, 'db' | 'inTurn'>, follow: () => Promise<WindowFound>) {
    this.#deps = deps
    this.#follow = follow
  }

  /** Meanwhile the store does not follow the end of a window, so that root refuses what comes too late. */
  get isUnderWay(): boolean {
    return this.#commands > 0
  }

  async during<T>(window_id: string, work: () => Promise<T>): Promise<T> {
    const { inTurn, db } = this.#deps
    await inTurn(async () => {
      const found = await this.#follow()
      if (!isOpen(found, window_id)) throw windowOver(await findEnd(db, window_id), found, TOO_LATE)
      this.#commands += 1
    })
    const [done] = await Promise.allSettled([work()])
    this.#commands -= 1
    if (!this.isUnderWay) for (const go of this.#onNone.splice(0)) go()
    if (done.status === 'fulfilled') return done.value
    // What it failed over is that the window was over, if it is by now.
    const found = await inTurn(this.#follow).catch(() => null)
    throw found && !isOpen(found, window_id) ? windowOver(await findEnd(db, window_id), found, TOO_LATE) : done.reason
  }

  /** Does something in turn while no such command is under way. */
  async whenNone<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      if (this.isUnderWay) await new Promise<void>((resolve) => this.#onNone.push(resolve))
      const done = await this.#deps.inTurn(async () => (this.isUnderWay ? null : { result: await work() }))
      if (done) return done.result
    }
  }
}

const isOpen = ({ window }: WindowFound, window_id: string): boolean =>
  window?.window_id === window_id && window.state === 'open'

const TOO_LATE = message('safe_apply.trial_over')
