// The files that were applied, and the objects of each.
import type { Generated } from 'kysely'

export interface DesiredFileTable {
  name: string
  /** The digest of everything, right after it was applied. */
  digest: string
  applied_date: string
  user_id: number | null
  username: string
  /** Whether nothing else changes its objects. */
  is_locked: Generated<number>
}

export interface DesiredObjectTable {
  name: string
  kind: string
  target_key: string
  /** What the file made, packed as an object of a revision. */
  item: Buffer
}

export interface DesiredTables {
  desired_file: DesiredFileTable
  desired_object: DesiredObjectTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends DesiredTables {}
}
