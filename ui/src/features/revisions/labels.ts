// Labels of revisions, and where their objects are.
import type { RevisionItem, RevisionView } from '@panel/shared/api/revisions.ts'
import type { Endpoints } from '@panel/shared/api/endpoints.ts'
import type { StateLabel } from '../../components/state.ts'
import { messages, t } from '../../core/i18n.svelte.ts'
import { actionLabel, parseOffset } from '../audit/labels.ts'

export const PAGE_SIZE = 50

/** The API query for an address. */
export function revisionsQuery(search: URLSearchParams): Endpoints['GET /revisions']['query'] {
  const named = ['kind', 'target_key', 'request_id'].flatMap((name) =>
    search.get(name) ? [[name, search.get(name)]] : [],
  )
  // Passed unchecked: the API reports invalid values.
  return { limit: PAGE_SIZE, offset: parseOffset(search), ...(Object.fromEntries(named) as object) }
}

export const titleOf = ({ action }: Pick<RevisionView, 'action'>): string =>
  action === '' ? t('revisions.first') : actionLabel(action)

const STATES = { kept: 'up', waiting: 'degraded', taken_back: 'disabled' } as const
export const stateLabel = ({ state }: Pick<RevisionView, 'state'>): StateLabel => ({
  state: STATES[state],
  label: t(`revisions.state.${state}`),
})

/** The page of an object, while there is one. */
export function pageOf({ kind, target_key, what }: Pick<RevisionItem, 'kind' | 'target_key' | 'what'>): string | null {
  if (kind === 'setting') return `/settings?q=${encodeURIComponent(target_key)}`
  if (what === 'deleted') return null
  if (kind === 'tunnel') return `/tunnels/${target_key}`
  if (kind === 'route') return `/routes/${target_key}`
  return kind === 'network' ? `/networks/${target_key}/edit` : `/pools/${target_key}/edit`
}

/** What a person calls an object: of a setting its name on the page of settings. */
export const objectName = ({ kind, title, target_key }: Pick<RevisionItem, 'kind' | 'title' | 'target_key'>): string =>
  kind === 'setting' ? messages.find(`settings.key.${target_key}`, target_key) : title

const FORMS: Readonly<Partial<Record<RevisionItem['kind'], string>>> = {
  tunnel: 'tunnel_new.option',
  route: 'routes.field',
}
/** What its form calls a field, or a report of drift; where neither does, its name in the API. */
export function fieldName(kind: RevisionItem['kind'], field: string): string {
  if (kind === 'setting') return t('revisions.kind.setting')
  const places = ['revisions.field', FORMS[kind], 'reconcile.field']
  const key = places.map((place) => `${place}.${field}`).find((one) => messages.has(one))
  return messages.find(key ?? '', field)
}

/** A value as it is sent; of several things each has a line. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return t(value ? 'core.form.yes' : 'core.form.no')
  if (Array.isArray(value))
    return value.length === 0
      ? '–'
      : value.map(valueText).join(value.some((one) => typeof one === 'object') ? '\n' : ' ')
  if (typeof value !== 'object') return String(value)
  const parts = Object.entries(value).filter(([, part]) => part !== null && part !== '')
  return parts.map(([name, part]) => `${name} ${valueText(part)}`).join(' · ')
}
