// Which scopes of an API token open an endpoint: by its tag, unless it says otherwise itself (decisions.md, A15).
import type { Scope } from '@panel/shared/api/scopes.ts'
import type { Endpoint, Tag } from './endpoint.ts'

/** Null: no token opens it. */
const SCOPE_OF_TAG: Readonly<Record<Tag, Scope | null>> = {
  audit: 'read',
  auth: null,
  backup: 'backup',
  desired: 'desired',
  diagnostics: 'diagnostics',
  impact: 'read',
  metrics: 'metrics',
  monitor: 'monitor',
  networks: 'tunnels',
  other: 'settings',
  pools: 'tunnels',
  reconcile: 'tunnels',
  revisions: 'backup',
  routes: 'routes',
  settings: 'settings',
  system: 'settings',
  traffic: 'routes',
  tunnels: 'tunnels',
  webhooks: 'notifications',
}

/** A backup holds all that there is, so that to read is not enough. */
const NOT_JUST_READ: readonly (Scope | null)[] = [null, 'backup', 'desired']

/** Any one of them is enough; none where no token is. */
export function scopesOf({ tag = 'other', route, scope: own }: Endpoint): readonly Scope[] {
  const scope = own ?? SCOPE_OF_TAG[tag]
  if (tag === 'auth' || scope === null) return []
  const isRead = route.startsWith('GET ') && !NOT_JUST_READ.includes(scope)
  return [...new Set<Scope>([...(isRead ? (['read'] as const) : []), scope, '*'])]
}
