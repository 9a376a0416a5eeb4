// What a use case may hold: a reader can look, a commander can also change. Previews are readers by type, not by discipline.
import type { Kysely, Transaction } from 'kysely'
import type { Reader, Writer } from '@panel/shared/rpc/methods.ts'
import type { Database } from './db/database.ts'
import type { AuditNote } from './audit-note.ts'
import type { Publish } from './events/bus.ts'
import type { SettingsHolder, SettingsReader } from './settings.ts'

/** A database that cannot be written through: kysely's select half. */
export type ReadDb = Pick<Kysely<Database>, 'selectFrom'>
export type WriteDb = Kysely<Database> | Transaction<Database>

export interface ReadContext {
  readonly db: ReadDb
  readonly ask: Reader
  readonly now: () => Date
  /** As they are at the moment of asking. */
  readonly settings: SettingsReader
}

export interface CommandContext extends ReadContext {
  readonly db: Kysely<Database>
  readonly ask: Writer
  readonly settings: SettingsHolder
  /** One change to the host at a time; a waiter gives up after 30 s with 503 busy. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  readonly note: AuditNote
  /** Tells the rest of the panel what was done, once it is stored. */
  readonly publish: Publish
}
