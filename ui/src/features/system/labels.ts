// Labels for host capabilities and for where the panel listens.
import type { ListenerView } from '@panel/shared/api/listeners.ts'
import type { CapabilitiesAnswer, LimitsAnswer } from '@panel/shared/api/system.ts'
import type { StateLabel } from '../../components/state.ts'
import { messages, t } from '../../core/i18n.svelte.ts'

export const supportLabel = (isAble: boolean): StateLabel =>
  isAble ? { state: 'up', label: t('system.yes') } : { state: 'disabled', label: t('system.no') }

export const featureLabel = (name: string): string => messages.find(`system.feature.${name}`, name.replaceAll('_', ' '))
export const backendLabel = ({ active }: CapabilitiesAnswer['rule_backend']): string =>
  messages.find(`system.backend.${active}`, active)

export const persistenceLabel = (title: string): string => messages.find(`system.persistence.${title}`, title)

export const protectionLabel = ({ protection: { how } }: CapabilitiesAnswer['rule_backend']): StateLabel => ({
  state: how === 'none' ? 'disabled' : 'up',
  label: t(`system.protection.${how}`),
})

export const fastPathLabel = ({ fast_path: { is_able } }: CapabilitiesAnswer['rule_backend']): StateLabel => ({
  state: is_able ? 'up' : 'disabled',
  label: t(`system.fast_path.${is_able ? 'able' : 'unable'}`),
})

export const listenerLabel = ({ state, is_open, errno }: ListenerView): StateLabel =>
  is_open
    ? { state: state === 'trial' ? 'unknown' : 'up', label: t(`system.listeners.state.${state}`) }
    : { state: errno === '' ? 'disabled' : 'down', label: t('system.listeners.state.closed') }

export const placeOf = ({ address, port }: Pick<ListenerView, 'address' | 'port'>): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`

export const limitLabel = (key: string): string => messages.find(`system.limit.${key}`, key)

/** A row for each limit: its entries, or a number with how much of it is used, if that is known. */
export function limitRows({ limits, used }: LimitsAnswer, format: (value: number) => string) {
  const sums: Partial<Record<string, number>> = used
  return Object.entries(limits).map(([key, value]) => {
    if (typeof value !== 'number') return { key, entries: value, amount: '' }
    const sum = sums[key]
    const most = format(value)
    return {
      key,
      entries: null,
      amount: sum === undefined ? most : t('system.limits.used', { used: format(sum), most }),
    }
  })
}
