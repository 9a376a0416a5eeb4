// Destinations and sources of a rule, in words.
import { t } from '../../core/i18n.svelte.ts'
import type { RouteValues } from './draft.ts'
import { formatEndpoint } from './formats.ts'

type Destination = RouteValues['destinations'][number]
type Source = RouteValues['allowed_sources'][number]

const showDestination = ({ address, port, port_range_end, weight, is_backup, is_enabled }: Destination): string =>
  [
    port === null ? address : formatEndpoint(address, port, port_range_end),
    ...(weight !== null && weight !== 1 ? [t('routes.weight_of', { weight })] : []),
    ...(is_backup ? [t('routes.field.backup')] : []),
    ...(is_enabled ? [] : [t('routes.configured.disabled')]),
  ].join(' · ')

/** In one line. */
export const showItems = (items: unknown): string =>
  (items as (Destination | Source)[])
    .map((one) => ('cidr' in one ? [one.cidr, one.description].filter(Boolean).join(' · ') : showDestination(one)))
    .join(t('core.comma'))
