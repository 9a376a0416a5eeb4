// Audit filters in the address, and labels of actions and results.
import type { AuditEntry } from '@panel/shared/api/audit/answers.ts'
import type { Endpoints } from '@panel/shared/api/endpoints.ts'
import type { StateLabel } from '../../components/state.ts'
import { messages, t } from '../../core/i18n.svelte.ts'

type AuditQuery = Endpoints['GET /audit']['query']

export const PAGE_SIZE = 50
/** Target types, as in the API. */
export const TARGETS = [
  'tunnel',
  'route',
  'address_pool',
  'network',
  'settings',
  'user',
  'listener',
  'incident',
  'diagnostic_run',
  'backup',
  'webhook',
  'api_token',
  'session',
  'revision',
  'desired',
] as const
export const FILTERS = ['search', 'action', 'success', 'target_type', 'target_id', 'from', 'to'] as const

export function actionLabel(action: string): string {
  return messages.find(`audit.action.${action}`, action)
}

export const targetKind = (target_type: string): string => messages.find(`audit.target.${target_type}`, target_type)

/** The page of the entry's target, if it is still there. */
export const targetPage = ({ target_type, target_id, target_name }: AuditEntry): string | null => {
  if (target_type === 'settings') return '/settings'
  if (target_type === 'user') return '/account'
  if (target_type === 'backup') return '/backup'
  if (target_type === 'webhook') return '/webhooks'
  if (target_type === 'api_token' || target_type === 'session') return '/account'
  if (target_id === null) return null
  if (target_type === 'incident') return `/incidents?incident=${target_id}`
  if (target_name === '') return null
  if (target_type === 'tunnel') return `/tunnels/${target_id}`
  if (target_type === 'route') return `/routes/${target_id}`
  if (target_type === 'network') return `/networks/${target_id}/edit`
  return target_type === 'address_pool' ? `/pools/${target_id}/edit` : null
}

export const resultLabel = ({ is_success }: Pick<AuditEntry, 'is_success'>): StateLabel =>
  is_success ? { state: 'up', label: t('audit.ok') } : { state: 'down', label: t('audit.failed') }

/** The address that shows all entries of the entry's object; null if it has none of its own. */
export const sameTarget = ({ target_type, target_id }: AuditEntry): string | null =>
  target_id === null ? null : `/audit?target_type=${target_type}&target_id=${target_id}`

/** The API query for an address. */
export const auditQuery = (search: URLSearchParams): AuditQuery => ({
  limit: PAGE_SIZE,
  offset: parseOffset(search),
  // Passed unchecked: the API reports invalid values.
  ...(Object.fromEntries(
    FILTERS.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
  ) as AuditQuery),
})

export const parseOffset = (search: URLSearchParams): number => {
  const offset = Number(search.get('offset'))
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0
}

/** For a datetime-local input, in the browser's time zone. */
export const toLocalInput = (instant: string | null): string => {
  const at = new Date(instant ?? '')
  return Number.isNaN(at.getTime())
    ? ''
    : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
export const fromLocalInput = (local: string): string => {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}
