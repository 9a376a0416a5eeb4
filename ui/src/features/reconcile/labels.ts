// Labels of drift states.
import type { ReconcileStatus } from '@panel/shared/api/base/lookups.ts'
import type { ReconcileItem } from '@panel/shared/api/reconcile.ts'
import type { State, StateLabel } from '../../components/state.ts'
import { messages, t } from '../../core/i18n.svelte.ts'

const STATE_OF: Readonly<Record<ReconcileStatus, State>> = {
  InSync: 'up',
  Drifted: 'degraded',
  Missing: 'down',
  Unmanaged: 'unknown',
  Inconsistent: 'down',
}
export const STATUSES: readonly ReconcileStatus[] = ['Inconsistent', 'Missing', 'Drifted', 'Unmanaged', 'InSync']

export const statusLabel = (status: ReconcileStatus): StateLabel => ({
  state: STATE_OF[status],
  label: t(`reconcile.status.${status}`),
})
/** An unreadable interface is never shown as in sync. */
export const itemLabel = ({ status, observed }: ReconcileItem): StateLabel =>
  observed.is_known ? statusLabel(status) : { state: 'unknown', label: t('reconcile.unreadable') }
export const statusText = ({ status, observed, is_ignored }: ReconcileItem): string =>
  t(
    !observed.is_known
      ? 'reconcile.sentence.unreadable'
      : is_ignored
        ? 'reconcile.sentence.ignored'
        : `reconcile.sentence.${status}`,
  )

/** The label of a field of a file, such as `systemd_unit.mtu`, with the file before it. */
export const fieldLabel = (field: string): string => {
  const [name = '', ...path] = field.split('.').reverse()
  const label = messages.find(`reconcile.field.${name}`, name)
  const [file] = path
  return file === undefined ? label : `${messages.find(`reconcile.file.${file}`, file)}: ${label}`
}
export const valueLabel = (value: string): string =>
  value === '' ? '–' : messages.find(`reconcile.value.${value}`, value)
