// A stored network as it is sent: every field of the record, which of its paths carry and why, and what the host holds
// of it now.
import { APPLY_STATUSES, titleOf } from '@panel/shared/api/base/lookups.ts'
import type { NetworkPathView, NetworkView } from '@panel/shared/api/networks/answers.ts'
import { message, messageFields, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { NetworkFound } from '@panel/shared/network/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { probeNetworks } from './change.ts'
import { lackViews } from './lacks.ts'
import { judged, type NetworkRecord, type NewNetwork, type PathTunnels } from './record.ts'
import { severityOf } from './severity.ts'

/** What the host holds of one network; `found` null: root keeps nothing of it. */
export type Observed =
  | { readonly is_known: true; readonly found: NetworkFound | null }
  | { readonly is_known: false; readonly why: Message }

export function networkView(record: NetworkRecord, tunnels: PathTunnels, observed: Observed): NetworkView {
  return {
    ...record,
    apply_status: titleOf(APPLY_STATUSES, record.apply_status_id),
    paths: pathViews(record, tunnels),
    is_known: observed.is_known,
    ...messageFields('detail', observed.is_known ? verbatim('') : observed.why),
    severity: severityOf(record, tunnels, observed.is_known ? { found: observed.found } : null),
    kernel_route: observed.is_known ? routeView(observed.found) : null,
    lacks: observed.is_known && record.is_enabled ? lackViews(observed.found) : [],
  }
}

export const pathViews = (record: Pick<NewNetwork, 'paths'>, tunnels: PathTunnels): NetworkPathView[] =>
  judged(record, tunnels).map(({ path, state, why, out }) => {
    const { interface_name = '', display_name = '' } = tunnels.get(path.tunnel_id) ?? {}
    const named = { ...path, interface_name, display_name, since: out?.since ?? null }
    // Root has a weight of it, since a network has to have one, and its link is down.
    if (out?.chance === 'none') return { ...named, state: 'out', ...messageFields('reason', out.why) }
    return { ...named, state, ...messageFields('reason', why) }
  })

function routeView(found: NetworkFound | null): NetworkView['kernel_route'] {
  if (!found?.held) return null
  const { metric, source, paths } = found.held
  return { metric, source_address: source, paths: [...paths] }
}

/**
 * Reads all the destinations in one request. While root cannot say what it keeps, what is stored is still shown.
 */
export async function observe(
  request: Reader,
  destinations: readonly string[],
): Promise<(destination: string) => Observed> {
  try {
    const found = await probeNetworks(request, destinations)
    const byDestination = new Map(found.map((one) => [one.state.destination, one]))
    return (destination) => ({ is_known: true, found: byDestination.get(destination) ?? null })
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    const why = message('network.observed_unknown', { reason: asMessage(thrown) })
    return () => ({ is_known: false, why })
  }
}

/** For an answer that is made of the store alone. */
export const NOT_OBSERVED: Observed = { is_known: false, why: message('network.not_observed') }
