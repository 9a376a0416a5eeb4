// How backups elsewhere are: for the page, for health, and as an incident.
import type { BackupElsewhereAnswer } from '@panel/shared/api/backup-elsewhere.ts'
import { message, messageFields, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Component, HostIncident } from '../../platform/health.ts'
import { targetsOfBackups, type Elsewhere } from './elsewhere.ts'
import type { FolderLook } from './folder.ts'
import { storedElsewhere } from './store.ts'

type Deps = Pick<ReadContext, 'db' | 'settings'>

const UNREADABLE: FolderLook = { files: [], is_on_panel_disk: null }

export async function elsewhereView({ db, settings }: Deps, elsewhere: Elsewhere): Promise<BackupElsewhereAnswer> {
  const stored = await storedElsewhere(db)
  const { files, is_on_panel_disk } = await elsewhere.folder.look().catch(() => UNREADABLE)
  return {
    has_passphrase: stored !== null,
    is_readable: stored === null || elsewhere.box.open(stored.passphrase) !== null,
    interval: settings.get('backup.interval'),
    to_directory: settings.get('backup.to_directory'),
    kept: settings.get('backup.kept'),
    directory: elsewhere.folder.path,
    is_on_panel_disk,
    files,
    targets: (await targetsOfBackups(db)).map(
      ({ webhook_id, title, kind, delivered_at, failing_since, last_error }) => ({
        webhook_id,
        title,
        kind,
        delivered_at,
        failing_since,
        ...messageFields('last_error', last_error),
      }),
    ),
    tried_at: stored?.tried_date ?? null,
    succeeded_at: stored?.succeeded_date ?? null,
    file_name: stored?.file_name ?? '',
    size_bytes: stored?.file.length ?? 0,
    ...messageFields('last_error', stored?.last_error ?? verbatim('')),
  }
}

/** Null where nothing is wrong. Nothing is while backups are off. */
async function trouble({ db, settings }: Deps, { box }: Pick<Elsewhere, 'box'>): Promise<Message | null> {
  if (settings.get('backup.interval') === 'off') return null
  const stored = await storedElsewhere(db)
  if (!stored) return message('backup.elsewhere_no_passphrase')
  if (!box.open(stored.passphrase)) return message('backup.elsewhere_unreadable')
  if (stored.last_error) return stored.last_error
  const failing = (await targetsOfBackups(db)).find(({ failing_since }) => failing_since !== null)
  return failing ? message('backup.elsewhere_target', { title: failing.title, reason: failing.last_error }) : null
}

/** Null while backups are off. */
export async function elsewhereComponent(deps: Deps, elsewhere: Pick<Elsewhere, 'box'>): Promise<Component | null> {
  if (deps.settings.get('backup.interval') === 'off') return null
  const found = await trouble(deps, elsewhere)
  return { name: 'backup', status: found ? 'degraded' : 'ok', detail: found ?? message('component.backup') }
}

export async function elsewhereIncident(deps: Deps, elsewhere: Pick<Elsewhere, 'box'>): Promise<HostIncident | null> {
  const sentence = await trouble(deps, elsewhere)
  return sentence && { kind: 'backup', name: '', state: 'degraded', since: null, sentence }
}
