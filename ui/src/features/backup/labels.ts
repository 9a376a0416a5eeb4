// Labels of import results and errors inside a backup.
import type { ImportAction } from '@panel/shared/api/backup.ts'
import { type ApiMessage } from '../../core/message.ts'
import type { State, StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'
import type { ApiError } from '../../core/api-error.ts'

const STATES: Readonly<Record<ImportAction['action'], State>> = {
  create: 'up',
  update: 'up',
  would_create: 'up',
  would_update: 'up',
  skip: 'disabled',
  failed: 'down',
}
export const actionLabel = ({ action }: Pick<ImportAction, 'action'>): StateLabel => ({
  state: STATES[action],
  label: t(`backup.became.${action}`),
})

/** The page of what it is here; null where it is not. */
export const itemPage = ({ kind, target, target_id: id }: ImportAction): string | null => {
  if (kind === 'setting') return `/settings?q=${encodeURIComponent(target)}`
  if (id === null) return null
  return {
    pool: `/pools/${id}/edit`,
    tunnel: `/tunnels/${id}`,
    network: `/networks/${id}/edit`,
    route: `/routes/${id}`,
  }[kind]
}

/** A dry run tells with an error what would be refused. */
export const itemLabel = (item: ImportAction, isDry: boolean): StateLabel =>
  isDry && item.error ? { state: 'down', label: t('backup.became.would_fail') } : actionLabel(item)

export interface BackupError {
  readonly place: string
  readonly message: ApiMessage
}

/** Errors inside the backup; empty if the error is about something else. */
export const backupErrors = ({ fields }: ApiError): BackupError[] => {
  const problems = Object.entries(fields).map(([place, message]) => ({ place, message }))
  return problems.every(({ place }) => place === 'backup' || place.startsWith('backup.')) ? problems : []
}
