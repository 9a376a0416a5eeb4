// A noun that the panel manages on the host: how its records say what the host shall hold, and how that is changed and
// stored.
import type { ErrorCode } from '@panel/shared/api/base/codes.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'
import type { Message, Param } from '@panel/shared/messages/message.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { WriteDb } from '../platform/context.ts'

/** What a record says of the last change of what it stands for. An absent date stays as it is. */
export interface ApplyMark {
  readonly apply_status_id: number
  readonly last_apply_error: string
  readonly last_apply_error_message: Message
  readonly last_applied_date?: string | null
}

/** What happened to records, once the store says so. "settled": a pending record was found to be applied. */
export type StoredEvent = 'created' | 'updated' | 'deleted' | 'settled'

/** Every function but `read` runs inside a transaction. */
export interface RecordStore<Row extends ApplyMark, Draft> {
  /** Returns the id. */
  readonly insert: (db: WriteDb, draft: Draft) => Promise<number>
  readonly replace: (db: WriteDb, id: number, draft: Draft) => Promise<void>
  /** Removes a record whose creation came to nothing. */
  readonly remove: (db: WriteDb, id: number, now: string) => Promise<void>
  readonly markDeleted: (db: WriteDb, id: number, now: string) => Promise<void>
  readonly mark: (db: WriteDb, ids: readonly number[], mark: ApplyMark, now: string) => Promise<void>
  /** Throws where there is none. */
  readonly read: (id: number) => Promise<Row>
}

/**
 * `State` is what root compares, plans from and reads back; null is absent. A draft is a record that is not stored yet.
 * Everything that happens to a noun goes through the engine (engine.ts), so a new noun is one value of this type.
 */
export interface Resource<Row extends ApplyMark, Draft, State> {
  readonly noun: string
  readonly idOf: (row: Row) => number
  readonly apply: (change: Change<State>) => Promise<Outcome>
  readonly verify: (change: Change<State>) => Promise<{ readonly ok: boolean; readonly checks: Check[] }>
  /** Divides a change into pieces that fit on one line to root each; in their order they make the whole. */
  readonly split: (change: Change<State>) => Change<State>[]
  /** What takes back a change that was applied. Without it, its inverse. Neither state: nothing is to be done. */
  readonly undo?: (change: Change<State>) => Change<State>
  readonly store: RecordStore<Row, Draft>
  /** Publishes what happened to the records. */
  readonly onStored: (event: StoredEvent, rows: readonly Row[]) => void
  /** Names the records in the message and the details of an error. */
  readonly describe: (rows: readonly (Row | Draft)[]) => {
    readonly what: Param
    readonly details: Record<string, unknown>
  }
  readonly codes: FailureCodes
}

/** The codes of an error whose change was put back, and of one whose change could not be undone. */
export interface FailureCodes {
  readonly restored: ErrorCode
  readonly stuck: ErrorCode
}

/** The part of a noun that the panel keeps no records of: what is wanted stands on the host alone. */
export function noRecords<Row extends ApplyMark, Draft>(): Pick<
  Resource<Row, Draft, never>,
  'idOf' | 'store' | 'onStored'
> {
  const none = (): never => {
    throw new Error('There are no records of this noun')
  }
  return {
    idOf: none,
    store: { insert: none, replace: none, remove: none, markDeleted: none, mark: async () => undefined, read: none },
    onStored: () => undefined,
  }
}
