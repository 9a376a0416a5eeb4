// An object as it is edited in its row of a list: a text a cell, in the values of the object's form.
import { tick } from 'svelte'
import type { Form } from '../../core/form.svelte.ts'

export abstract class RowEdit<V extends object, C extends string, R> {
  abstract readonly form: Form<V>
  /** The fields of the form that a cell can change, by the column. */
  abstract readonly cellFields: Readonly<Record<C, string>>
  /** Whether what was typed is planned, and can be saved. */
  abstract readonly isPlanned: boolean
  abstract readonly isSaving: boolean
  /** The cell that the edit began in, and that the focus returns to. */
  cell: HTMLElement | null = null
  /** What stands in a cell that cannot be read; any other has what its values say. */
  #typed = $state.raw<Partial<Record<C, string>>>({})
  readonly #onend: () => void

  /** In an effect, which `onend` is to end. */
  constructor(onend: () => void) {
    this.#onend = onend
  }

  /** What the values say, as it stands in a cell. */
  protected abstract written(column: C): string
  /** Puts a text into the values; returns false if it cannot be read. */
  protected abstract take(column: C, text: string): boolean
  /** A text that is written otherwise than it is shown, as it is shown; null if it cannot be read. */
  protected abstract settled(column: C, text: string): string | null
  /** What is wrong with a text that cannot be read. */
  protected abstract complaint(column: C): string
  protected abstract send(): Promise<boolean>
  protected abstract discard(): void
  /** The object changed elsewhere. */
  abstract follow(stored: R): void

  get isDirty(): boolean {
    return this.form.isDirty || Object.keys(this.#typed).length > 0
  }

  textOf(column: C): string {
    return this.#typed[column] ?? this.written(column)
  }

  type(column: C, text: string): void {
    const others = Object.entries(this.#typed).filter(([one]) => one !== column)
    this.#typed = Object.fromEntries([...others, ...(this.take(column, text) ? [] : [[column, text]])]) as Partial<
      Record<C, string>
    >
    this.form.clearError(this.cellFields[column])
  }

  /** The faults of the cells that cannot be read, for the form. */
  protected check(): Record<string, string> {
    return Object.fromEntries(
      (Object.keys(this.#typed) as C[]).map((column) => [this.cellFields[column], this.complaint(column)]),
    )
  }

  /** Plans what was typed; without a change there is nothing to plan. */
  async review(): Promise<void> {
    for (const [column, text] of Object.entries(this.#typed) as [C, string][]) {
      const settled = this.settled(column, text)
      if (settled !== null) this.type(column, settled)
    }
    if (!this.isDirty) return this.cancel()
    await this.form.submit()
    await tick()
    this.cell?.closest('tr')?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }

  async save(): Promise<void> {
    if (await this.send()) this.#end()
  }

  cancel(): void {
    this.discard()
    this.#end()
  }

  #end(): void {
    this.#onend()
    void tick().then(() => this.cell?.querySelector<HTMLElement>('a, button')?.focus())
  }
}

/** Once the plan is drawn. */
export const focusPlan = async (): Promise<void> => {
  await tick()
  document.querySelector<HTMLElement>('[popover] [data-review]')?.focus()
}
