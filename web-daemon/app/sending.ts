// What leaves this host by itself: notifications, and encrypted backups, which go to the targets of notifications too.
import { signInsFailedSince } from '../features/audit/store.ts'
import { Elsewhere } from '../features/backup-elsewhere/elsewhere.ts'
import { storedFile } from '../features/backup-elsewhere/store.ts'
import { readSilences } from '../features/incidents/silences.ts'
import { Notifications } from '../features/webhooks/notifications.ts'
import { resolveAll } from '../features/webhooks/send/address.ts'
import { SecretBox } from '../platform/secret-box.ts'
import type { PanelDeps, Services } from './services.ts'

export function makeSending(
  { db, bus, settings, signing_key, installation, backup_dir, logger, notifications: replaced = {} }: PanelDeps,
  context: Services['context'],
): Pick<Services, 'notifications' | 'elsewhere'> {
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
    folder: { path: backup_dir, state_dir: installation.data_dir },
    outbox: notifications.outbox,
    logger,
  })
  return { notifications, elsewhere }
}
