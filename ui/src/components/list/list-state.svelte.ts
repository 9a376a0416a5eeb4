// How a list is shown, kept in this browser, and what is selected in it.
import { base_path } from '../../core/panel.ts'
import { NONE, type Selection } from './selection.ts'

interface View {
  readonly isCompact: boolean
  /** Ids of the columns that are not shown. */
  readonly hidden: readonly string[]
}
const DEFAULT: View = { isCompact: false, hidden: [] }

export class ListState {
  readonly #key: string
  #view = $state.raw<View>(DEFAULT)
  selection = $state.raw<Selection>(NONE)

  constructor(name: string) {
    this.#key = `${base_path}list:${name}`
    this.#view = { ...DEFAULT, ...(JSON.parse(localStorage.getItem(this.#key) ?? '{}') as Partial<View>) }
  }

  get isCompact(): boolean {
    return this.#view.isCompact
  }
  set isCompact(isCompact: boolean) {
    this.#store({ ...this.#view, isCompact })
  }

  isHidden(id: string): boolean {
    return this.#view.hidden.includes(id)
  }
  toggle(id: string): void {
    const { hidden } = this.#view
    this.#store({ ...this.#view, hidden: this.isHidden(id) ? hidden.filter((one) => one !== id) : [...hidden, id] })
  }

  #store(view: View): void {
    this.#view = view
    localStorage.setItem(this.#key, JSON.stringify(view))
  }
}
