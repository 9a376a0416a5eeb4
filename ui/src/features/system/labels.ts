// Labels for host capabilities and for where the panel listens.
import type { ListenerView } from '@panel/shared/api/listeners.ts'
import type { CapabilitiesAnswer, HealthComponent, LimitsAnswer } from '@panel/shared/api/system.ts'
import type { StateLabel } from '../../components/state.ts'
import { messages, t } from '../../core/i18n.svelte.ts'
import type { ApiMessage } from '../../core/message.ts'

export const supportLabel = (isAble: boolean): StateLabel =>
  isAble ? { state: 'up', label: t('system.yes') } : { state: 'disabled', label: t('system.no') }

export const backendLabel = ({ active }: CapabilitiesAnswer['rule_backend']): string =>
  messages.find(`system.backend.${active}`, active)

export interface Abilities {
  readonly title: string
  /** The names are those of programs. */
  readonly isCode: boolean
  readonly abilities: readonly { readonly name: string; readonly isAble: boolean; readonly note: ApiMessage | null }[]
}

const abilitiesOf = ({ tunnel_types, persistence, rule_backend }: CapabilitiesAnswer): Abilities[] => [
  {
    title: t('system.tunnel_types'),
    isCode: false,
    abilities: tunnel_types.map((one) => ({ name: one.title, isAble: one.supported, note: one.note_message })),
  },
  {
    title: t('system.persistence'),
    isCode: false,
    abilities: persistence.map((one) => ({
      name: messages.find(`system.persistence.${one.title}`, one.title),
      isAble: one.available,
      note: one.note_message,
    })),
  },
  {
    title: t('system.features'),
    isCode: false,
    abilities: Object.entries(rule_backend.features).map(([name, isAble]) => ({
      name: messages.find(`system.feature.${name}`, name.replaceAll('_', ' ')),
      isAble,
      note: null,
    })),
  },
]

const those = (all: readonly Abilities[], wanted: boolean): Abilities[] =>
  all
    .map((part) => ({ ...part, abilities: part.abilities.filter(({ isAble }) => isAble === wanted) }))
    .filter(({ abilities }) => abilities.length > 0)

/** What the panel would use and does not find. A program is not: without one, only what it would do is missing. */
export const missingOf = (answer: CapabilitiesAnswer): Abilities[] => those(abilitiesOf(answer), false)

export const thereOf = (answer: CapabilitiesAnswer): Abilities[] => [
  ...those(abilitiesOf(answer), true),
  {
    title: t('system.tools'),
    isCode: true,
    abilities: answer.tools.map(({ name, available }) => ({ name, isAble: available, note: null })),
  },
]

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

export interface LimitRow {
  readonly key: string
  readonly entries: readonly string[] | null
  readonly amount: string
  /** It is known how much of it is. */
  readonly isUsed: boolean
}

/** A row for each limit: its entries, or a number with how much of it is used, if that is known. */
export function limitRows({ limits, used }: LimitsAnswer, format: (value: number) => string): LimitRow[] {
  const sums: Partial<Record<string, number>> = used
  return Object.entries(limits).map(([key, value]) => {
    if (typeof value !== 'number') return { key, entries: value, amount: '', isUsed: false }
    const sum = sums[key]
    const most = format(value)
    if (sum === undefined) return { key, entries: null, amount: most, isUsed: false }
    return { key, entries: null, amount: t('system.limits.used', { used: format(sum), most }), isUsed: true }
  })
}

const SEVERITY = [
  'error',
  'degraded',
  'unknown',
  'starting',
  'ok',
] as const satisfies readonly HealthComponent['status'][]

export const worstFirst = (components: readonly HealthComponent[]): HealthComponent[] =>
  components.toSorted((one, other) => SEVERITY.indexOf(one.status) - SEVERITY.indexOf(other.status))
