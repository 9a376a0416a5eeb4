// Labels for host capabilities.
import type { CapabilitiesAnswer } from '@panel/shared/api/system.ts'
import type { StateLabel } from '../../components/state.ts'
import { messages, t } from '../../core/i18n.svelte.ts'

export const supportLabel = (isAble: boolean): StateLabel =>
  isAble ? { state: 'up', label: t('system.yes') } : { state: 'disabled', label: t('system.no') }

export const featureLabel = (name: string): string => messages.find(`system.feature.${name}`, name.replaceAll('_', ' '))
export const backendLabel = ({ active }: CapabilitiesAnswer['rule_backend']): string =>
  messages.find(`system.backend.${active}`, active)
