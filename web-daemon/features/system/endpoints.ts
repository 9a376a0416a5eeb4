// The endpoints of the section System.
import type { Store } from '../../platform/db/store.ts'
import { query } from '../../platform/http/endpoint.ts'
import { showCapabilities } from './capabilities.ts'
import { makeHealth, type HealthDeps, type OtherComponents } from './health.ts'
import { listInterfaces, listRoutingTable } from './host.ts'
import { showLimits } from './limits.ts'
import { makeInfo, type Installation } from './info.ts'

const tag = 'system'

export function systemEndpoints(
  about: HealthDeps,
  installation: Installation,
  store: Pick<Store, 'trouble' | 'copyTrouble'>,
  others: OtherComponents,
) {
  return [
    query(
      'GET /system/health',
      { tag, summary: 'What works and what does not', guards: { setup: false, session: false } },
      makeHealth(about, store, others),
    ),
    query('GET /system/capabilities', { tag, summary: 'What this host can do' }, showCapabilities),
    query('GET /system/limits', { tag, summary: 'What root allows on this host.' }, showLimits),
    query(
      'GET /system/info',
      { tag, summary: 'What is running here, from where, and on what kernel.' },
      makeInfo(about.started_at, installation),
    ),
    query('GET /system/interfaces', { tag, summary: 'Every interface of this host.' }, listInterfaces),
    query('GET /system/routes', { tag, summary: 'The routing table of this host.' }, listRoutingTable),
  ]
}
