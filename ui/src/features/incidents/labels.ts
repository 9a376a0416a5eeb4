// How an incident is labelled, and the times until which it can be silenced.
import type { HostChange, StoredIncident } from '@panel/shared/api/incidents.ts'
import type { StateLabel } from '../../components/state.ts'
import { display } from '../../core/display.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'

/** What was wrong; of one that is over, too. */
export const whatLabel = ({ kind, state }: Pick<StoredIncident, 'kind' | 'state'>): string =>
  t(`dashboard.incident.${kind}.${state}`)

/** One that is over is green. */
export const stateLabel = (one: Pick<StoredIncident, 'kind' | 'state' | 'ended_at'>): StateLabel =>
  one.ended_at === null ? { state: one.state, label: whatLabel(one) } : { state: 'up', label: t('incidents.resolved') }

const MORNING = 8

/** Tomorrow at eight, by the clock of the operator. */
export const tomorrowMorning = (now: Date): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, MORNING)

export const hourLabel = (at: Date): string =>
  new Intl.DateTimeFormat(display.format.locale, { hour: '2-digit', minute: '2-digit' }).format(at)

export function changeLabel({ subject, interface_name: name, is_removal }: HostChange): string {
  if (subject === 'ruleset') return t('incidents.change.ruleset')
  if (subject === 'link') return t(is_removal ? 'incidents.change.link_gone' : 'incidents.change.link', { name })
  if (subject === 'setting')
    return name === '' ? t('incidents.change.setting_any') : t('incidents.change.setting', { name })
  return t(`incidents.change.${subject}${is_removal ? '_gone' : ''}`)
}
