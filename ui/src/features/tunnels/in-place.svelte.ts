// Begins to edit a tunnel in its row of the list; what that takes is loaded when it is first used.
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { focusPlan } from '../../components/list/row-edit.svelte.ts'
import { TunnelRowEdit, type CellColumn } from './row-edit.svelte.ts'
import TunnelCell from './TunnelCell.svelte'
import TunnelRowPlan from './TunnelRowPlan.svelte'

export interface InPlace {
  readonly edit: TunnelRowEdit
  readonly id: number
  readonly column: CellColumn
  readonly Cell: typeof TunnelCell
  readonly Plan: typeof TunnelRowPlan
}

/** `take` gets null once the edit is over. */
export function beginInPlace(tunnel: TunnelView, column: CellColumn, take: (begun: InPlace | null) => void): void {
  const end = (): void => {
    stop()
    take(null)
  }
  const stop = $effect.root(() =>
    take({
      edit: new TunnelRowEdit(tunnel, focusPlan, end),
      id: tunnel.tunnel_id,
      column,
      Cell: TunnelCell,
      Plan: TunnelRowPlan,
    }),
  )
}
