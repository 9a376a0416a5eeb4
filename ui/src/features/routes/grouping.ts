// The list of relay rules in groups; loaded once it is grouped.
import type { RouteItem } from '@panel/shared/api/routes/answers.ts'
import { groupRows, type Group } from '../../components/list/groups.ts'
import type { Grouping } from '../../components/list/list-state.svelte.ts'
import { messages } from '../../core/i18n.svelte.ts'
import { loaded } from '../../core/loaded.ts'
import { groupedBy } from './rule-groups.ts'

export const groupRules = (rules: readonly RouteItem[], { by, isFolded, except }: Grouping): Group<RouteItem>[] =>
  groupRows(rules, groupedBy(by), (id) => except.includes(id) === isFolded)

export { default as Head } from './GroupHead.svelte'
/** Resolves once the words of groups are there. */
export const ready = (): Promise<unknown> => loaded(() => messages.load(['views']))
