// Toasts: a success disappears, a failure stays until closed, and the bell keeps the last fifty.
import { toApiError, type ApiError } from './api-error.ts'
import { t } from './i18n.svelte.ts'

export interface Toast {
  readonly id: number
  readonly kind: 'success' | 'failure'
  readonly text: string
  /** The API's error, for a failure. */
  readonly error: ApiError | null
  /** Reverts the action, if possible. */
  readonly undo: (() => Promise<unknown>) | null
  /** The page of what it is about; undefined if that has none, or is gone. */
  readonly page?: string | undefined
  readonly at: Date
}

const SUCCESS_MS = 6000
const KEPT = 50

class Toasts {
  shown = $state.raw<readonly Toast[]>([])
  /** Newest first. */
  kept = $state.raw<readonly Toast[]>([])
  unread = $state(0)
  #ids = 0

  success(text: string, undo: Toast['undo'] = null, page?: string): void {
    const toast = this.#add({ kind: 'success', text, error: null, undo, page })
    setTimeout(() => this.close(toast.id), SUCCESS_MS)
  }

  /** `text` names the action; the API's message follows. */
  failure(text: string, thrown: unknown, page?: string): void {
    this.#add({ kind: 'failure', text, error: toApiError(thrown), undo: null, page })
  }

  close(id: number): void {
    this.shown = this.shown.filter((toast) => toast.id !== id)
  }

  /** A failed Undo is reported like any failure. */
  async undo(toast: Toast): Promise<void> {
    this.close(toast.id)
    try {
      await toast.undo?.()
    } catch (thrown) {
      this.failure(t('core.undo_failing', { done: toast.text }), thrown, toast.page)
    }
  }

  #add(content: Omit<Toast, 'id' | 'at'>): Toast {
    const toast = { ...content, id: ++this.#ids, at: new Date() }
    this.shown = [...this.shown, toast].slice(-4)
    this.kept = [toast, ...this.kept].slice(0, KEPT)
    this.unread += 1
    return toast
  }
}

export const toasts = new Toasts()
