// Begins to edit a rule in its row of the list; what that takes is loaded when it is first used.
import type { RouteItem } from '@panel/shared/api/routes/answers.ts'
import { focusPlan } from '../../components/list/row-edit.svelte.ts'
import { router } from '../../core/router.svelte.ts'
import { formValues } from './draft.ts'
import { fitsCell, RuleRowEdit, type CellColumn } from './row-edit.svelte.ts'
import RuleCell from './RuleCell.svelte'
import RulePlan from './RulePlan.svelte'

export interface InPlace {
  readonly edit: RuleRowEdit
  readonly id: number
  readonly column: CellColumn
  readonly Cell: typeof RuleCell
  readonly Plan: typeof RulePlan
}

/** `take` gets null once the edit is over. What a cell cannot say is for the form. */
export function beginInPlace({ route }: RouteItem, column: CellColumn, take: (begun: InPlace | null) => void): void {
  const { route_rule_id: id } = route
  if (column === 'relays' && !fitsCell(formValues(route))) return void router.go(`/routes/${id}/edit`)
  const end = (): void => {
    stop()
    take(null)
  }
  const stop = $effect.root(() =>
    take({ edit: new RuleRowEdit(route, focusPlan, end), id, column, Cell: RuleCell, Plan: RulePlan }),
  )
}
