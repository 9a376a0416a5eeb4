// Networks that this server does not hold as they are stored: each needs the operator (decisions.md, T37).
import type { HostIncident } from '../../platform/health.ts'
import type { NetworkWatch } from './watch.ts'

/** What root alone keeps is drift, and ends nothing. */
export const networkIncidents = (watch: Pick<NetworkWatch, 'entries' | 'noticed'>): HostIncident[] =>
  watch.entries().flatMap((one) => {
    const { record, status, isCut, sentence } = one
    if (!record || status === 'InSync') return []
    return [
      {
        kind: 'network',
        name: record.network_title,
        state: isCut ? 'down' : 'degraded',
        since: watch.noticed(one)?.at ?? null,
        sentence,
      },
    ]
  })
