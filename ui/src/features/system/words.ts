// How what the host can do and how each part of the panel is are said.
import type { CapabilitiesAnswer, HealthComponent } from '@panel/shared/api/system.ts'
import type { State } from '../../components/StateBadge.svelte'
import { t, messages } from '../../core/i18n.svelte.ts'

export interface Said {
  readonly state: State
  readonly word: string
}

export const can = (isAble: boolean): Said =>
  isAble ? { state: 'up', word: t('system.yes') } : { state: 'disabled', word: t('system.no') }

const worded = (key: string, otherwise: string): string => (messages.has(key) ? t(key) : otherwise)
export const featureOf = (name: string): string => worded(`system.feature.${name}`, name.replaceAll('_', ' '))
export const partOf = ({ name }: HealthComponent): string =>
  worded(`core.health.part.${name}`, name.replaceAll('_', ' '))
export const backendOf = ({ active }: CapabilitiesAnswer['rule_backend']): string =>
  worded(`system.backend.${active}`, active)

const STATES = { ok: 'up', degraded: 'degraded', error: 'down', unknown: 'unknown' } as const satisfies Record<
  HealthComponent['status'],
  State
>
export const healthOf = ({ status }: Pick<HealthComponent, 'status'>): Said => ({
  state: STATES[status],
  word: t(`core.health.${status}`),
})
