// A stored network as it is sent: every field of the record, which of its paths carry and why, and what the host holds
// of it now.
import { parseIp } from '@panel/shared/address/ip.ts'
import { APPLY_STATUSES, titleOf } from '@panel/shared/api/base/lookups.ts'
import type { LackView, NetworkPathView, NetworkView } from '@panel/shared/api/networks/answers.ts'
import { message, messageFields, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { NetworkFound } from '@panel/shared/network/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { probeNetworks } from './change.ts'
import { judged, type NetworkRecord, type NewNetwork, type PathTunnels } from './record.ts'

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
    kernel_route: observed.is_known ? routeView(observed.found) : null,
    lacks: observed.is_known && record.is_enabled ? lackViews(observed.found) : [],
  }
}

export const pathViews = (record: Pick<NewNetwork, 'paths'>, tunnels: PathTunnels): NetworkPathView[] =>
  judged(record, tunnels).map(({ path, state, why, out }) => {
    const { interface_name = '', display_name = '' } = tunnels.get(path.tunnel_id) ?? {}
    return { ...path, interface_name, display_name, state, ...messageFields('reason', why), since: out?.since ?? null }
  })

function routeView(found: NetworkFound | null): NetworkView['kernel_route'] {
  if (!found?.held) return null
  const { metric, source, paths } = found.held
  return { metric, source_address: source, paths: [...paths] }
}

export function lackViews(found: NetworkFound | null): LackView[] {
  if (!found) return [lack('network', '', message('network.lacks_network'))]
  return found.state.lacks.map((what) => {
    if (what === 'route') return lack(what, '', message('network.lacks_route'))
    if (what === 'answers') return lack(what, '', message('network.lacks_answers'))
    if (parseIp(what)) return lack('address', what, message('network.lacks_address', { address: what }))
    return lack('path', what, message('network.lacks_path', { name: what }))
  })
}

const lack = (kind: LackView['kind'], name: string, detail: Message): LackView => ({
  kind,
  name,
  ...messageFields('detail', detail),
})

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
