// Networks that nothing reaches, or that this server does not hold as they are stored: each needs the operator
// (decisions.md, T37).
import { message } from '@panel/shared/messages/message.ts'
import type { HostIncident } from '../../platform/health.ts'
import { worstOf } from './severity.ts'
import type { NetworkWatch } from './watch.ts'

/** What root alone keeps is drift, and ends nothing. */
export const networkIncidents = (watch: Pick<NetworkWatch, 'entries' | 'noticed'>): HostIncident[] =>
  watch.entries().flatMap((one) => {
    const { record, isCut, sentence, failed_since } = one
    const severity = worstOf(one)
    if (!record || severity === 'ok') return []
    const incident = { kind: 'network', name: record.network_title, state: severity } as const
    const since = watch.noticed(one)?.at ?? null
    return isCut || failed_since === null
      ? [{ ...incident, since, sentence }]
      : [{ ...incident, since: failed_since, sentence: message('network.all_failed') }]
  })
