// How what the host can do and how each part of the panel is are said.
import type { CapabilitiesAnswer, HealthComponent } from '@panel/shared/api/system.ts'
import type { State } from '../../components/StateBadge.svelte'
import { t, words } from '../../core/i18n.svelte.ts'

export interface Said {
  readonly state: State
  readonly word: string
}

export const can = (isAble: boolean): Said => (isAble ? { state: 'up', word: t('system.yes') } : { state: 'disabled', word: t('system.no') })

const worded = (key: string, otherwise: string): string => (words.has(key) ? t(key) : otherwise)
export const featureOf = (name: string): string => worded(`system.feature.${name}`, name.replaceAll('_', ' '))
export const partOf = ({ name }: HealthComponent): string => worded(`core.health.part.${name}`, name.replaceAll('_', ' '))
export const backendOf = ({ active }: CapabilitiesAnswer['rule_backend']): string => worded(`system.backend.${active}`, active)

const STATES = { ok: 'up', degraded: 'degraded', error: 'down', unknown: 'unknown' } as const satisfies Record<HealthComponent['status'], State>
export const healthOf = ({ status }: Pick<HealthComponent, 'status'>): Said => ({ state: STATES[status], word: t(`core.health.${status}`) })

/** What of others is in the page and in the daemons, with what each is given under. */
export const LICENCES = [
  ['Svelte', 'MIT'],
  ['TanStack Query', 'MIT'],
  ['uPlot', 'MIT'],
  ['uqr', 'MIT'],
  ['Lucide', 'ISC'],
  ['Vazirmatn', 'OFL-1.1'],
  ['Express', 'MIT'],
  ['TypeBox', 'MIT'],
  ['Kysely', 'MIT'],
  ['Node.js', 'MIT'],
] as const
