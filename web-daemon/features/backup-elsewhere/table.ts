// The table of backups elsewhere, as Kysely sees it.

/** One row at most, made with the first passphrase. */
export interface BackupElsewhereTable {
  backup_elsewhere_id: number
  /** Sealed (platform/secret-box.ts). */
  passphrase: Buffer
  tried_date: string | null
  succeeded_date: string | null
  /** What the last backup that went everywhere holds, and where it was to go. */
  digest: string
  /** The same for what was last handed to the targets of notifications. */
  sent_digest: string
  file_name: string
  /** The encrypted file, as targets get it. */
  file: string
  /** JSON of a message, or "". */
  last_error: string
}

export interface BackupElsewhereTables {
  backup_elsewhere: BackupElsewhereTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends BackupElsewhereTables {}
}
