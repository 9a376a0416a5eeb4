// What leaves this host by itself: notifications, and encrypted backups, which go to the targets of notifications too.
import type { KeyObject } from 'node:crypto'
import { signInsFailedSince } from '../features/audit/store.ts'
import { Elsewhere, type ElsewhereDeps } from '../features/backup-elsewhere/elsewhere.ts'
import { storedFile } from '../features/backup-elsewhere/store.ts'
import { readSilences } from '../features/incidents/silences.ts'
import { Notifications, type NotificationDeps } from '../features/webhooks/notifications.ts'
import { resolveAll } from '../features/webhooks/send/address.ts'
import type { ApartClock } from '../platform/files-apart.ts'
import { SecretBox } from '../platform/secret-box.ts'

export interface SendingDeps extends Pick<NotificationDeps, 'db' | 'bus' | 'settings' | 'logger'> {
  readonly signing_key: KeyObject
  readonly installation: { readonly data_dir: string }
  readonly backup_dir: string
  readonly backup_clock?: ApartClock
  /** Replaced by a test. */
  readonly notifications?: Partial<Pick<NotificationDeps, 'resolve' | 'timeout_ms'>>
}

export function makeSending(
  { db, bus, settings, signing_key, installation, logger, notifications: replaced = {}, ...deps }: SendingDeps,
  context: ElsewhereDeps['context'],
): { readonly notifications: Notifications; readonly elsewhere: Elsewhere } {
  const notifications = new Notifications({
    ...{ db, bus, settings, logger, now: context.now },
    box: new SecretBox(signing_key, 'notification targets'),
    signInsFailedSince,
    readSilences,
    resolve: resolveAll,
    backupFile: () => storedFile(db),
    ...replaced,
  })
  const elsewhere = new Elsewhere({
    context,
    box: new SecretBox(signing_key, 'backup passphrase'),
    folder: { path: deps.backup_dir, state_dir: installation.data_dir, clock: deps.backup_clock },
    outbox: notifications.outbox,
    logger,
  })
  return { notifications, elsewhere }
}
