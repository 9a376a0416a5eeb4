// What a client may send about backups elsewhere, and what it is answered (reference.md, Backup; decisions.md, B8 to
// B11).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { sentence } from './base/errors.ts'
import { refusedWith } from './base/fields.ts'
import { Anything, Count, described, Flag, Id, Instant, list, oneOf, shape, Text } from './base/shapes.ts'
import { WEBHOOK_KINDS } from './webhooks.ts'

const [min, max] = [16, 200]
/** So many different characters it has at least. */
export const PASSPHRASE_VARIETY = 6

export const WEAK_PASSPHRASE = message('backup.passphrase', {
  field: 'passphrase',
  min,
  max,
  variety: PASSPHRASE_VARIETY,
})

export const BackupPassphraseBody = shape('BackupPassphraseBody', {
  passphrase: Type.String({
    minLength: min,
    maxLength: max,
    // No rescue system's keyboard lacks one of these.
    pattern: '^(?! )[ -~]*[!-~]$',
    'x-secret': true,
    ...refusedWith(
      'INVALID_PASSWORD',
      WEAK_PASSPHRASE,
      'What encrypts each backup from now on. Whoever restores one needs it: no answer ever has it.',
    ),
  }),
})
export type BackupPassphraseBody = Static<typeof BackupPassphraseBody>

export const BackupElsewhereAnswer = shape('BackupElsewhere', {
  has_passphrase: Flag,
  is_readable: described(
    Flag,
    'False where the passphrase was stored under another signing key: it has to be set again.',
  ),
  interval: oneOf(['off', 'daily', 'weekly']),
  to_directory: Flag,
  kept: Count,
  directory: described(Text, 'By the option PANEL_BACKUP_DIR of the configuration.'),
  is_on_panel_disk: described(
    nullable(Flag),
    'Whether the directory is on the disk of the store, and so is lost with it; null where it does not exist or does not answer.',
  ),
  files: described(
    list(strict({ name: Text, size_bytes: Count })),
    'Backups of this host in the directory, newest first; empty where it cannot be read.',
  ),
  targets: described(
    list(
      strict({
        webhook_id: Id,
        title: Text,
        kind: oneOf(WEBHOOK_KINDS),
        delivered_at: nullable(Instant),
        failing_since: nullable(Instant),
        ...sentence('last_error'),
      }),
    ),
    'Enabled targets of notifications that take backups.',
  ),
  tried_at: described(nullable(Instant), 'When the panel last made one, or found that nothing has changed.'),
  succeeded_at: nullable(Instant),
  file_name: described(Text, 'Of the last one; "" before the first.'),
  size_bytes: described(Count, 'Of the last one, encrypted.'),
  ...sentence('last_error', 'Why the last one failed; "" where it did not.'),
})
export type BackupElsewhereAnswer = Static<typeof BackupElsewhereAnswer>

export const RunBackupAnswer = shape('BackupRun', {
  ok: described(Flag, 'Whether it was made. Targets of notifications get it from the outbox, which tries again.'),
  ...sentence('detail', 'What became of it.'),
})
export type RunBackupAnswer = Static<typeof RunBackupAnswer>

export const OpenBackupBody = shape('OpenBackupBody', {
  file: Type.String({
    'x-secret': true,
    ...refusedWith('INVALID_BACKUP', message('backup.file_form', { field: 'file' }), 'The text of the encrypted file.'),
  }),
  passphrase: Type.String({
    maxLength: max,
    'x-secret': true,
    ...refusedWith(
      'INVALID_PASSWORD',
      message('input.line', { field: 'passphrase', length: max }),
      'The one that it was encrypted with.',
    ),
  }),
})
export type OpenBackupBody = Static<typeof OpenBackupBody>

export const OpenBackupAnswer = shape('BackupOpened', {
  backup: described(Anything, 'The document, as POST /backup/import takes it.'),
})
export type OpenBackupAnswer = Static<typeof OpenBackupAnswer>
