// What relay rules are grouped by, in their list and in the picture of all.
import type { RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { GroupedBy } from '../../components/list/groups.ts'
import { healthWord, HEALTH_WORDS } from './rule-health.ts'

type Rule = Pick<RouteItem, 'route' | 'health'>

export const rank = ({ health }: Pick<Rule, 'health'>): number => HEALTH_WORDS.indexOf(healthWord(health))

/** Every rule is in one group, so that sums add up: one with two tags is in the group of both. */
const ID: Readonly<Record<string, (rule: Rule) => string>> = {
  tunnel: ({ health: { tunnel } }) => tunnel?.interface_name ?? '',
  tag: ({ route: { tags } }) => [...tags].sort().join(' · '),
  state: ({ health }) => healthWord(health),
}

export const groupedBy = (by: string): GroupedBy<Rule> => ({ id: ID[by] ?? (() => ''), rank })
