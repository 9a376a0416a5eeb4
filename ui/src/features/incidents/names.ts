// What an incident is of; IncidentName.svelte shows it.
import type { StoredIncident } from '@panel/shared/api/incidents.ts'
import { t } from '../../core/i18n.svelte.ts'
import { monitor } from '../../core/live.svelte.ts'
import { tunnelText, type TunnelNames } from '../../core/tunnel-names.ts'

export type Named = Pick<StoredIncident, 'kind' | 'id' | 'name'>

export const nameOf = ({ name }: Pick<Named, 'name'>): string => name || t('core.health.part.helper')

/** The tunnel of an incident as it is called now; undefined of anything else, and of one that is gone. */
export const tunnelOf = ({ kind, id }: Named): TunnelNames | undefined =>
  kind === 'tunnel' && id !== null ? monitor.tunnels?.get(id) : undefined

export const incidentText = (one: Named): string => {
  const tunnel = tunnelOf(one)
  return tunnel ? tunnelText(tunnel) : nameOf(one)
}
