// Asks before what cannot be taken back: one dialog for the whole page, which names the object and tells the consequence.
import type { Component } from 'svelte'

export interface Confirmation {
  /** With the name of the object. */
  readonly title: string
  /** What follows. */
  readonly text: string
  /** Named one by one under the text: the relay rules that depend on a tunnel. */
  readonly items?: readonly string[]
  /** What the button says that does it. */
  readonly action: string
  readonly isDanger?: boolean
  /** A page's own words in the dialog. */
  readonly more?: Component
}

class ConfirmDialog {
  pending = $state.raw<Confirmation | null>(null)
  #answer: ((yes: boolean) => void) | null = null

  /** Resolves to whether the operator wants it. */
  readonly ask = (pending: Confirmation): Promise<boolean> => {
    this.#answer?.(false)
    this.pending = pending
    return new Promise((resolve) => (this.#answer = resolve))
  }

  answer(yes: boolean): void {
    this.pending = null
    this.#answer?.(yes)
    this.#answer = null
  }
}

export const confirmer = new ConfirmDialog()
export const { ask: confirm } = confirmer
