// A status of the comparison between store and host, as a state, a word and a sentence.
import type { ReconcileStatus } from '@panel/shared/api/base/lookups.ts'
import type { ReconcileItem } from '@panel/shared/api/reconcile.ts'
import type { State } from '../../components/StateBadge.svelte'
import { t } from '../../core/i18n.svelte.ts'

export interface Said {
  readonly state: State
  readonly word: string
}

const STATE_OF: Readonly<Record<ReconcileStatus, State>> = {
  InSync: 'up',
  Drifted: 'degraded',
  Missing: 'down',
  Unmanaged: 'unknown',
  Inconsistent: 'down',
}
export const STATUSES: readonly ReconcileStatus[] = ['Inconsistent', 'Missing', 'Drifted', 'Unmanaged', 'InSync']

export const said = (status: ReconcileStatus): Said => ({
  state: STATE_OF[status],
  word: t(`reconcile.status.${status}`),
})
/** What could not be read is never told as fine. */
export const saidOf = ({ status, observed }: ReconcileItem): Said =>
  observed.is_known ? said(status) : { state: 'unknown', word: t('reconcile.unreadable') }
export const sentenceOf = ({ status, observed, is_ignored }: ReconcileItem): string =>
  t(
    !observed.is_known
      ? 'reconcile.sentence.unreadable'
      : is_ignored
        ? 'reconcile.sentence.ignored'
        : `reconcile.sentence.${status}`,
  )
