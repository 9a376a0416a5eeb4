// How each item of an import is said, and how what the API finds wrong in a backup comes to its place.
import type { ImportAction } from '@panel/shared/api/backup.ts'
import type { State } from '../../components/StateBadge.svelte'
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
export const became = ({ action }: Pick<ImportAction, 'action'>): { state: State; word: string } => ({
  state: STATES[action],
  word: t(`backup.became.${action}`),
})

/** An item of a dry run that would be refused is said to be so, and not to have failed. */
export const outcome = (item: ImportAction, isDry: boolean): { state: State; word: string } =>
  isDry && item.action === 'failed' ? { state: 'down', word: t('backup.became.would_fail') } : became(item)

export interface Fault {
  readonly place: string
  readonly message: string
}

/** What is wrong inside the backup, by its place; empty where the refusal is about something else. */
export const faultsOf = ({ fields }: ApiError): Fault[] => {
  const faults = Object.entries(fields).map(([place, message]) => ({ place, message }))
  return faults.every(({ place }) => place === 'backup' || place.startsWith('backup.')) ? faults : []
}

/** A name of the file that says whose backup it is, and of when. */
export const fileNameOf = (hostname: string, exported_at: string): string =>
  `tunnel-panel-${hostname.replaceAll(/[^A-Za-z0-9.-]+/g, '-') || 'backup'}-${exported_at.slice(0, 19).replaceAll(':', '-')}.json`
