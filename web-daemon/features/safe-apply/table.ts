// The tables of safe apply.
import type { Generated, Selectable } from 'kysely'

/** `ended_how` null: it is open. `items` is the JSON text of what was changed in it. */
export interface SafeApplyTable {
  safe_apply_id: Generated<number>
  window_id: string
  opened_date: string
  /** The opener; null if it was opened at the helper's socket. */
  user_id: number | null
  username: string
  ended_date: string | null
  ended_how: string | null
  items: Generated<string>
  /** Whether work is under way in it of which all stays or nothing. */
  is_whole: Generated<number>
}

/** A row of a followed table as JSON, as it was when the open window was opened. */
export interface SafeApplyRowTable {
  table_name: string
  row_key: string
  before: string
}

export interface SafeApplyTables {
  safe_apply: SafeApplyTable
  safe_apply_row: SafeApplyRowTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends SafeApplyTables {}
}

export type SafeApplyRow = Selectable<SafeApplyTable>
