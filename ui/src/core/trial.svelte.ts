// The trial that this tab is in: what it changes is put back by itself unless it is kept. The tab stays in it once its
// time is over, until the operator has seen that, so that nothing is changed for good by mistake.
import type { SafeApplyWindow } from '@panel/shared/api/safe-apply.ts'
import { sentAlong } from './api.ts'

const KEY = 'trial'

class Trial {
  /** The window that the changes of this tab are meant for. */
  window_id = $state.raw(sessionStorage.getItem(KEY))
  /** How long it waits after a change; null once it is over. */
  seconds = $state.raw<number | null>(null)
  /** Nothing was changed in it yet. */
  isWaiting = $state.raw(false)
  /** The form to which what was typed has returned. */
  form = $state.raw<string | null>(null)

  constructor() {
    this.#name()
  }

  /** Null: from now on changes are for good. */
  enter(window: SafeApplyWindow | null): void {
    this.window_id = window?.window_id ?? null
    this.seconds = window?.seconds ?? null
    this.isWaiting = window?.is_waiting ?? false
    if (window) this.form = null
    if (window) sessionStorage.setItem(KEY, window.window_id)
    else sessionStorage.removeItem(KEY)
    this.#name()
  }

  #name(): void {
    sentAlong.all = this.window_id === null ? {} : { 'X-Window': this.window_id }
  }
}

export const trial = new Trial()
