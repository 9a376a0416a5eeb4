// The own end of a draft that leaves it to the route to the far end (decisions.md, T49).
import { canonicalIp, parseIp } from '@panel/shared/address/ip.ts'
import { message, messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { isIpv6Kind } from '@panel/shared/tunnel/model.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { sourcesOf, type Source } from '../local-end/source.ts'
import type { NewTunnel } from '../record.ts'
import type { DraftContext, RequestedTunnel } from './context.ts'
import { farEndField, farEndProblem } from './ends.ts'

type Sent = Pick<RequestedTunnel, 'local_endpoint' | 'is_local_endpoint_automatic'>

export interface LocalEndRequest {
  /** What the client sent of it; an address beside the choice has to be what the route has. */
  readonly sent: Sent
  /** In a backup the choice comes with the address that it had, which is kept where there is no route. */
  readonly isRestored?: boolean
  /** The route is looked up again; without one the tunnel keeps its address. */
  readonly isFollowed?: boolean | undefined
}

/** The draft with the address of this end in its body. Call it once the far end is known. */
export async function withLocalEnd(
  { request: ask }: Pick<ReadContext, 'request'>,
  draft: DraftContext,
  request: LocalEndRequest,
): Promise<DraftContext> {
  const is_local_endpoint_automatic = automaticIn(request.sent) ?? draft.stored?.is_local_endpoint_automatic === true
  const { local_endpoint, ...others } = draft.body
  const body = { ...others, is_local_endpoint_automatic }
  if (!is_local_endpoint_automatic) {
    refuseNull(draft, local_endpoint)
    return { ...draft, body: { ...body, ...(typeof local_endpoint === 'string' && { local_endpoint }) } }
  }
  const held = request.isFollowed ? null : heldAddress(draft)
  const source = held === null ? await sourceFor(ask, draft) : { address: held, why: null }
  const address = source === null ? (draft.stored?.local_endpoint ?? null) : chosen(draft, source, request)
  return { ...draft, body: address === null ? body : { ...body, local_endpoint: address } }
}

/** Whether a request would have it automatic: null does, and an address by itself does not; undefined: as it is. */
export const automaticIn = ({ local_endpoint, is_local_endpoint_automatic: choice }: Sent): boolean | undefined =>
  choice ?? (local_endpoint === undefined ? undefined : local_endpoint === null)

function refuseNull({ problems }: DraftContext, address: Sent['local_endpoint']): void {
  const field = 'local_endpoint'
  if (address === null) problems.add(field, 'INVALID_ENDPOINT', message('tunnel.local_missing', { field }))
}

/** What the stored tunnel has by the same route: that is followed in the background. */
function heldAddress({ stored, body }: DraftContext): string | null {
  if (!stored?.is_local_endpoint_automatic) return null
  const decides = ['bind_device', 'fwmark', 'remote_endpoint'] as const
  return decides.every((field) => (body[field] ?? null) === stored[field]) ? stored.local_endpoint : null
}

/** Null if there is no far end of the family to look up, which is a problem of its own. */
async function sourceFor(request: ReadContext['request'], draft: DraftContext): Promise<Source | null> {
  const { body, kind, facts, existing, stored, problems } = draft
  const { remote_endpoint = '', bind_device = null, fwmark = null } = body
  if (['local_endpoint', farEndField(body)].some((field) => problems.has(field))) return null
  if (!kind || farEndProblem(draft, remote_endpoint) !== null) return null
  if ((parseIp(remote_endpoint)?.family === 6) !== isIpv6Kind(kind)) return null
  const host = { request, interfaces: facts.interfaces, tunnels: existing }
  const outer = { interface_name: stored?.interface_name ?? null, remote_endpoint, bind_device, fwmark }
  const [source] = await sourcesOf(host, [{ ...outer, inUse: stored?.local_endpoint ?? null }])
  if (!source) throw new Error(`The route to ${remote_endpoint} was not looked up`)
  return source
}

/** Null, with a problem, where there is none. */
function chosen({ stored, problems }: DraftContext, source: Source, request: LocalEndRequest): string | null {
  const { sent, isRestored, isFollowed } = request
  const given = typeof sent.local_endpoint === 'string' ? canonicalIp(sent.local_endpoint) : null
  if (source.why !== null) {
    const last = isRestored ? given : isFollowed ? (stored?.local_endpoint ?? null) : null
    if (last === null) problems.add('local_endpoint', 'ENDPOINT_UNRESOLVED', source.why)
    return last
  }
  const { address } = source
  if (given !== null && !isRestored && given !== address && given !== stored?.local_endpoint) {
    const field = 'local_endpoint'
    problems.add(field, 'INVALID_ENDPOINT', message('tunnel.local_is_automatic', { field, address }))
  }
  return address
}

type LocalEnd = Pick<
  NewTunnel,
  'local_endpoint' | 'is_local_endpoint_automatic' | 'local_endpoint_problem' | 'local_endpoint_problem_message'
>

/** What is wrong with following, as long as neither the choice nor the address becomes another. */
export function localEndFields(
  stored: LocalEnd | null,
  { local_endpoint, is_local_endpoint_automatic }: Pick<LocalEnd, 'local_endpoint' | 'is_local_endpoint_automatic'>,
): LocalEnd {
  const isSame =
    stored?.local_endpoint === local_endpoint && stored.is_local_endpoint_automatic === is_local_endpoint_automatic
  const why = isSame ? stored.local_endpoint_problem_message : verbatim('')
  return { local_endpoint, is_local_endpoint_automatic, ...messageFields('local_endpoint_problem', why) }
}
