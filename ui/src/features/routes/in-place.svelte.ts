// Begins to edit a rule in its row of the list; what that takes is loaded when it is first used.
import type { RouteItem } from '@panel/shared/api/routes/answers.ts'
import { tick } from 'svelte'
import { formValues } from './draft.ts'
import RowCell from './RowCell.svelte'
import RowPlan from './RowPlan.svelte'
import { fitsCell, RowEdit, type CellColumn } from './row-edit.svelte.ts'
import { router } from '../../core/router.svelte.ts'

export interface InPlace {
  readonly edit: RowEdit
  readonly id: number
  readonly column: CellColumn
  readonly Cell: typeof RowCell
  readonly Plan: typeof RowPlan
}

const focusPlan = async (): Promise<void> => {
  await tick()
  document.querySelector<HTMLElement>('[popover] [data-review]')?.focus()
}

/** `take` gets null once the edit is over. What a cell cannot say is for the form. */
export function beginInPlace({ route }: RouteItem, column: CellColumn, take: (begun: InPlace | null) => void): void {
  if (column === 'relays' && !fitsCell(formValues(route))) return void router.go(`/routes/${route.route_rule_id}/edit`)
  const end = (): void => {
    stop()
    take(null)
  }
  const stop = $effect.root(() =>
    take({ edit: new RowEdit(route, focusPlan, end), id: route.route_rule_id, column, Cell: RowCell, Plan: RowPlan }),
  )
}
