// Networks that nothing reaches, or that this server does not hold as they are stored: each needs the operator
// (decisions.md, T37).
import { message } from '@panel/shared/messages/message.ts'
import type { HostIncident } from '../../platform/health.ts'
import type { NetworkWatch } from './watch.ts'

/** What root alone keeps is drift, and ends nothing. */
export const networkIncidents = (watch: Pick<NetworkWatch, 'entries' | 'noticed'>): HostIncident[] =>
  watch.entries().flatMap((one) => {
    const { record, status, isCut, sentence, failed_since } = one
    if (!record) return []
    const incident = { kind: 'network', name: record.network_title } as const
    if (status !== 'InSync')
      return [{ ...incident, state: isCut ? 'down' : 'degraded', since: watch.noticed(one)?.at ?? null, sentence }]
    return failed_since === null
      ? []
      : [{ ...incident, state: 'down', since: failed_since, sentence: message('network.all_failed') }]
  })
