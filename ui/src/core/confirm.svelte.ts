// Asks before what cannot be taken back: one dialog for the whole page, which names the object and tells the consequence.
import type { Component } from 'svelte'

export interface Question {
  /** With the name of the object. */
  readonly title: string
  /** What follows. */
  readonly text: string
  /** Named one by one under the text: the relay rules that depend on a tunnel. */
  readonly concerned?: readonly string[]
  /** What the button says that does it. */
  readonly action: string
  readonly isDanger?: boolean
  /** A page's own words in the dialog. */
  readonly more?: Component
}

class Confirmer {
  question = $state.raw<Question | null>(null)
  #answer: ((yes: boolean) => void) | null = null

  /** Resolves to whether the operator wants it. */
  readonly ask = (question: Question): Promise<boolean> => {
    this.#answer?.(false)
    this.question = question
    return new Promise((resolve) => (this.#answer = resolve))
  }

  answer(yes: boolean): void {
    this.question = null
    this.#answer?.(yes)
    this.#answer = null
  }
}

export const confirmer = new Confirmer()
export const { ask: confirm } = confirmer
