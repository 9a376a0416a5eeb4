// Confirmation before irreversible actions: one dialog for the whole page.
import type { Component } from 'svelte'
import type { ImpactBody } from '@panel/shared/api/impact/impact.ts'

export interface Confirmation {
  /** Includes the object's name. */
  readonly title: string
  /** The consequence. */
  readonly text: string
  /** Affected objects, such as dependent relay rules. */
  readonly items?: readonly string[]
  /** Label of the confirming button. */
  readonly action: string
  readonly isDanger?: boolean
  /** Another way to confirm, after the first. */
  readonly other?: { readonly action: string; readonly choose: () => void }
  /** It changes something that a trial puts back, as every `request` does. */
  readonly isTried?: true
  /** The request that it asks about: what that interrupts is shown. */
  readonly request?: ImpactBody
  /** Additional content of the dialog. */
  readonly more?: Component
}

class ConfirmDialog {
  pending = $state.raw<Confirmation | null>(null)
  #answer: ((yes: boolean) => void) | null = null

  /** Resolves to true if confirmed. */
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
