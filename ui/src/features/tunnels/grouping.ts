// The list of tunnels in groups; loaded once it is grouped.
import { messages } from '../../core/i18n.svelte.ts'
import { loaded } from '../../core/loaded.ts'

export { groupsOf } from '../../components/list/groups.ts'
export { default as Head } from './TunnelGroup.svelte'
export { groupedBy } from './tunnel-groups.ts'
/** Resolves once the words of groups are there. */
export const ready = (): Promise<unknown> => loaded(() => messages.load(['views']))
