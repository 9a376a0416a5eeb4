// Which columns a list has, kept in this browser, and what is selected in it.
import { base_path } from '../../core/panel.ts'
import { NONE, type Selection } from './selection.ts'
import type { Column } from './table.ts'

type Choosable = Pick<Column<never>, 'id' | 'from'>

export class ListState {
  readonly #key: string
  /** What the operator chose; any other column is there if the window is wide enough for it. */
  #chosen = $state.raw<Readonly<Record<string, boolean>>>({})
  selection = $state.raw<Selection>(NONE)
  #width = $state(innerWidth)

  /** In a component's script. */
  constructor(name: string) {
    this.#key = `${base_path}columns:${name}`
    this.#chosen = JSON.parse(localStorage.getItem(this.#key) ?? '{}') as Record<string, boolean>
    $effect(() => {
      const measure = (): void => void (this.#width = innerWidth)
      addEventListener('resize', measure)
      return () => removeEventListener('resize', measure)
    })
  }

  isShown({ id, from = 0 }: Choosable): boolean {
    return this.#chosen[id] ?? this.#width >= from
  }
  toggle(column: Choosable): void {
    this.#chosen = { ...this.#chosen, [column.id]: !this.isShown(column) }
    localStorage.setItem(this.#key, JSON.stringify(this.#chosen))
  }
}
