// The endpoints of backups elsewhere, in the section Backup.
import { PASSPHRASE_VARIETY, WEAK_PASSPHRASE } from '@panel/shared/api/backup-elsewhere.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import { command, ok, preview, query } from '../../platform/http/endpoint.ts'
import type { Elsewhere } from './elsewhere.ts'
import { openFile, UnopenedError } from './sealed-file.ts'
import { elsewhereView } from './state.ts'
import { storePassphrase } from './store.ts'

const tag = 'backup'
/** The text of an encrypted file is a third longer than what it holds. */
const LIMIT_BYTES = 12 * 1024 * 1024

export function elsewhereEndpoints(elsewhere: Elsewhere) {
  return [
    query(
      'GET /backup/elsewhere',
      { tag, summary: 'Where encrypted backups go by themselves, and what became of the last one.' },
      async (context) => ok(await elsewhereView(context, elsewhere)),
    ),
    command(
      'PUT /backup/elsewhere/passphrase',
      {
        tag,
        summary: 'Set the passphrase that backups elsewhere are encrypted with. It is never answered.',
        audit: 'BackupPassphrase',
        gathersProblems: true,
        fresh: true,
      },
      async (context, { body, problems }) => {
        context.note.target('backup', null)
        if (!problems.has('passphrase') && new Set(body.passphrase).size < PASSPHRASE_VARIETY)
          problems.add('passphrase', 'INVALID_PASSWORD', WEAK_PASSPHRASE)
        problems.throwIfAny()
        await storePassphrase(context.db, elsewhere.box.seal(Buffer.from(body.passphrase)))
        return ok(await elsewhereView(context, elsewhere))
      },
    ),
    command(
      'POST /backup/elsewhere/run',
      {
        tag,
        summary: 'Make an encrypted backup now, and say what became of it.',
        statuses: [409],
        audit: 'BackupElsewhere',
      },
      async ({ note }) => {
        note.target('backup', null)
        const error = await elsewhere.run()
        note.operation(error ? `Failed: ${error.message}` : 'Made')
        return ok({ ok: error === null, ...messageFields('detail', error ?? message('backup.elsewhere_done')) })
      },
    ),
    preview(
      'POST /backup/elsewhere/open',
      {
        tag,
        summary: 'Open an encrypted backup with its passphrase: the answer is the document that an import takes.',
        gathersProblems: true,
        body_limit_bytes: LIMIT_BYTES,
      },
      async (_, { body, problems }) => {
        problems.throwIfAny()
        const text = await openFile(body.file, body.passphrase).catch((failure: unknown) => {
          if (!(failure instanceof UnopenedError)) throw failure
          problems.add(failure.field, 'INVALID_BACKUP', failure.sentence)
          problems.throwIfAny()
          throw failure
        })
        return ok({ backup: JSON.parse(text) as Record<string, unknown> })
      },
    ),
  ]
}
