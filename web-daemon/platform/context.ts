// The context of a use case. A ReadContext can only read, a StoreContext can change the store, a CommandContext the
// host too: previews are read-only by type.
import type { Kysely, Transaction } from 'kysely'
import type { Reader, Writer } from '@panel/shared/rpc/methods.ts'
import type { Database } from './db/database.ts'
import type { AuditNote } from './audit-note.ts'
import type { Publish, PublishIn } from './events/bus.ts'
import type { SettingsHolder, SettingsReader } from './settings.ts'

/** Kysely's select half: it cannot write. */
export type ReadDb = Pick<Kysely<Database>, 'selectFrom'>
export type WriteDb = Kysely<Database> | Transaction<Database>

export interface ReadContext {
  readonly db: ReadDb
  readonly request: Reader
  readonly now: () => Date
  /** The path of the API, with the web path. */
  readonly api_path: string
  /** The current values. */
  readonly settings: SettingsReader
}

/** The context of a command that changes what is stored and leaves the host alone. */
export interface StoreContext extends ReadContext {
  readonly db: Kysely<Database>
  readonly settings: SettingsHolder
  /** Runs one change of the host at a time; a waiting caller gives up after 30 s with 503 busy. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  readonly note: AuditNote
  /** Notifies the rest of the panel of a change, once it is stored. */
  readonly publish: Publish
  /** The same of an event that is stored, within the transaction that stores it. */
  readonly publishIn: PublishIn
}

/** The context of a command that can have root change the host, and therefore says beforehand what it would do. */
export interface CommandContext extends StoreContext {
  readonly request: Writer
  /**
   * Writes the audit entry in the transaction that stores the change. Of a change that nobody requested: nobody would
   * miss an entry that a kill in between has lost.
   */
  readonly recordIn?: (db: WriteDb) => Promise<void>
}
