// What tunnels are grouped by in their list, and how bad one is.
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { GroupedBy } from '../../components/list/groups.ts'
import { monitor } from '../../core/live.svelte.ts'

export const WORST_FIRST = ['Down', 'Degraded', 'Unknown', 'Up', 'Disabled'] as const satisfies readonly MonitorState[]

/** What the monitoring last came to; "Unknown" before its first answer. */
export const stateOf = ({ tunnel_id }: Pick<TunnelView, 'tunnel_id'>): MonitorState =>
  monitor.tunnels?.get(tunnel_id)?.state ?? 'Unknown'

export const rank = (tunnel: Pick<TunnelView, 'tunnel_id'>): number => WORST_FIRST.indexOf(stateOf(tunnel))

/** Every tunnel is in one group, so that sums add up: one with two tags is in the group of both. */
export const groupedBy = (by: string): GroupedBy<TunnelView> => ({
  id: by === 'state' ? stateOf : ({ tags }) => (by === 'tag' ? [...tags].sort().join(' · ') : ''),
  rank,
})
