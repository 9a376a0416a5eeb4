// The tables of the revisions: what each command changed of what the panel is to do.
import type { Generated, Selectable } from 'kysely'

export interface RevisionTable {
  revision_id: Generated<number>
  created_date: string
  /** Null where nobody requested it. */
  user_id: number | null
  username: string
  origin: 'operator' | 'token' | 'panel'
  /** Empty where it comes from no file. */
  file_name: Generated<string>
  /** The number of the audit log; null of what the panel finds by itself. */
  audit_action_id: number | null
  request_id: string
  reason: string
  /** The window that it was made in. */
  window_id: string | null
  is_taken_back: Generated<number>
  is_pinned: Generated<number>
  /** What is not shown is kept where the way to one that is leads over it. */
  is_shown: number
  /** The digest of everything as it is after it. */
  digest: string
}

/** `before` and `after` are packed (packed.ts); null where there is no such object. */
export interface RevisionItemTable {
  revision_id: number
  kind: string
  target_key: string
  title: string
  before: Buffer | null
  after: Buffer | null
}

/** Every object as the last revision left it. */
export interface RevisionObjectTable {
  kind: string
  target_key: string
  title: string
  item: Buffer
  digest: string
}

export interface RevisionTables {
  revision: RevisionTable
  revision_item: RevisionItemTable
  revision_object: RevisionObjectTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends RevisionTables {}
}

export type RevisionRow = Selectable<RevisionTable>
