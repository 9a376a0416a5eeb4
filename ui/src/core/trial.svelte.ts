// The trial that this tab is in: what it changes is put back by itself unless it is kept. The tab stays in it once its
// time is over, until the operator has seen that, so that nothing is changed for good by mistake.
import type { SafeApplyWindow } from '@panel/shared/api/safe-apply.ts'
import { meantFor } from './api.ts'
import { endTrial, setDraftAside } from './drafts.ts'
import { router } from './router.svelte.ts'

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
    meantFor(this.window_id)
  }

  enter({ window_id, seconds, is_waiting }: SafeApplyWindow): void {
    sessionStorage.setItem(KEY, window_id)
    this.#be(window_id, seconds)
    this.isWaiting = is_waiting
    this.form = null
  }

  /** Ends its time; what was put back is in its form again. */
  end(isPutBack: boolean): void {
    this.seconds = null
    this.form = endTrial(isPutBack) ?? this.form
  }

  leave(): void {
    sessionStorage.removeItem(KEY)
    this.#be(null, null)
  }

  /** What was typed under this name was sent: it is typed again if that is put back. */
  setAside(name: string): void {
    if (this.seconds !== null) setDraftAside(name, router.path)
  }

  #be(window_id: string | null, seconds: number | null): void {
    this.window_id = window_id
    this.seconds = seconds
    meantFor(window_id)
  }
}

export const trial = new Trial()
