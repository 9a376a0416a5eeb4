// Which columns a list has and what its rows are grouped by, kept in this browser, and what is selected in it.
import { keep, kept } from './kept.ts'
import { NONE, type Selection } from './selection.ts'

/** A column, as far as whether it is shown depends on it. */
interface Choosable {
  readonly id: string
  readonly from?: number
}

export interface Grouping {
  /** "": by nothing. */
  readonly by: string
  /** Whether groups are folded, but those named. */
  readonly isFolded: boolean
  readonly except: readonly string[]
}

export class ListState {
  readonly name: string
  /** What the operator chose; any other column is there if the window is wide enough for it. */
  #columns = $state.raw<Readonly<Record<string, boolean>>>({})
  #grouping = $state.raw<Grouping>({ by: '', isFolded: false, except: [] })
  selection = $state.raw<Selection>(NONE)
  #width = $state(innerWidth)

  /** In a component's script. */
  constructor(name: string) {
    this.name = name
    this.#columns = kept('columns', name, this.#columns)
    this.#grouping = kept('grouping', name, this.#grouping)
    $effect(() => {
      const measure = (): void => void (this.#width = innerWidth)
      addEventListener('resize', measure)
      return () => removeEventListener('resize', measure)
    })
  }

  get columns(): Readonly<Record<string, boolean>> {
    return this.#columns
  }
  set columns(columns) {
    keep('columns', this.name, (this.#columns = columns))
  }
  get grouping(): Grouping {
    return this.#grouping
  }
  set grouping(grouping) {
    keep('grouping', this.name, (this.#grouping = grouping))
  }

  isShown({ id, from = 0 }: Choosable): boolean {
    return this.#columns[id] ?? this.#width >= from
  }
  toggle(column: Choosable): void {
    this.columns = { ...this.#columns, [column.id]: !this.isShown(column) }
  }
}
