// The views of a list: search, order, groups and columns under a name, kept in this browser.
import { router } from '../../core/router.svelte.ts'
import { keep, kept } from './kept.ts'
import type { Grouping, ListState } from './list-state.svelte.ts'

export type GroupedBy = 'tunnel' | 'tag' | 'state'

export interface View {
  readonly name: string
  readonly q: string
  readonly sort: string
  readonly grouping: Grouping
  readonly columns: Readonly<Record<string, boolean>>
}

export const viewsOf = (list: ListState): readonly View[] => kept('views', list.name, [])

export const keepViews = (list: ListState, views: readonly View[]): void => keep('views', list.name, views)

/** What the list shows now. */
export const presentView = ({ grouping, columns }: ListState, name: string): View => ({
  name,
  q: router.search.get('q') ?? '',
  sort: router.search.get('sort') ?? '',
  grouping,
  columns,
})

export const show = (list: ListState, { q, sort, grouping, columns }: View): void => {
  list.columns = columns
  list.grouping = grouping
  router.setSearch({ q, sort })
}

/** One of the same name is replaced. */
export const withView = (views: readonly View[], view: View): readonly View[] =>
  [...views.filter(({ name }) => name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name))
