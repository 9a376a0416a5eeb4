// Backups elsewhere in the store: the sealed passphrase, and what became of the last one.
import type { Message } from '@panel/shared/messages/message.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'
import type { NoticeFile } from '../webhooks/notice.ts'
import type { BackupElsewhereTable } from './table.ts'

const ID = 1

export type Stored = Omit<BackupElsewhereTable, 'last_error' | 'backup_elsewhere_id'> & {
  /** Null where the last try was none in vain. */
  readonly last_error: Message | null
}

/** Null before there is a passphrase. */
export async function storedElsewhere(db: ReadDb): Promise<Stored | null> {
  const row = await db.selectFrom('backup_elsewhere').selectAll().executeTakeFirst()
  return row ? { ...row, last_error: row.last_error === '' ? null : (fromStoredJson(row.last_error) as Message) } : null
}

/** The next backup is made under the new one, whether anything else has changed or not. */
export async function storePassphrase(db: WriteDb, passphrase: Buffer): Promise<void> {
  const values = { passphrase, digest: '', sent_digest: '' }
  await db
    .insertInto('backup_elsewhere')
    .values({ backup_elsewhere_id: ID, ...values, file_name: '', file: '', last_error: '' })
    .onConflict((conflict) => conflict.column('backup_elsewhere_id').doUpdateSet(values))
    .execute()
}

export async function storeEnd(db: WriteDb, { last_error, ...end }: Partial<Stored>): Promise<void> {
  await db
    .updateTable('backup_elsewhere')
    .set({ ...end, last_error: last_error ? JSON.stringify(last_error) : '' })
    .execute()
}

/** What a target of notifications is sent. */
export async function storedFile(db: ReadDb): Promise<NoticeFile | null> {
  const stored = await storedElsewhere(db)
  return stored && stored.file !== '' ? { name: stored.file_name, text: stored.file } : null
}
