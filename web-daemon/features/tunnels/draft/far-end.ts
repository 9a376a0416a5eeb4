// The far end of a draft whose request names it: the address that its name leads to (decisions.md, T48).
import { canonicalIp, parseIp, type Family } from '@panel/shared/address/ip.ts'
import { message, messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { isIpv6Kind } from '@panel/shared/tunnel/model.ts'
import { canonicalName, otherFamily, stickyAddress } from '../../../platform/network/followed-names.ts'
import { resolveHost } from '../../../platform/network/resolver.ts'
import type { NewTunnel } from '../record.ts'
import type { DraftContext, RequestedTunnel } from './context.ts'
import { farEndProblem } from './ends.ts'
import { whyUnresolved } from '../far-end/unresolved.ts'

export interface FarEndRequest {
  /** What the client sent of it; an address beside a name has to be what that leads to. */
  readonly sent: Pick<RequestedTunnel, 'remote_endpoint'>
  /** What the name is known to lead to; absent: what is stored of it, or what it resolves to now. */
  readonly resolved?: readonly string[]
  /** A name in a backup that does not resolve here keeps the address that it had. */
  readonly isRestored?: boolean
}

/** The draft with the address of the far end in its body. */
export async function withFarEnd(draft: DraftContext, request: FarEndRequest): Promise<DraftContext> {
  const { body, kind, problems } = draft
  const hostname = typeof body.remote_hostname === 'string' ? canonicalName(body.remote_hostname) : null
  if (hostname === null) return draft
  const { remote_endpoint: _other, ...named } = { ...body, remote_hostname: hostname }
  if (!kind || problems.has('remote_endpoint')) return { ...draft, body: named }
  const family = isIpv6Kind(kind) ? 6 : 4
  const held = heldAddress(draft, hostname, family)
  const addresses = request.resolved ?? (held === null ? await resolved(draft, hostname, family, request) : [held])
  const first = held ?? request.sent.remote_endpoint
  const address = chosen(draft, addresses, first === undefined ? [] : [canonicalIp(first)])
  if (address === '') return { ...draft, body: named }
  refuseOther(draft, hostname, address, request)
  return { ...draft, body: { ...named, remote_endpoint: address } }
}

/** What the stored tunnel has of the same name: it is resolved again in the background. */
function heldAddress({ stored }: DraftContext, hostname: string, family: Family): string | null {
  if (stored?.remote_hostname !== hostname) return null
  return parseIp(stored.remote_endpoint)?.family === family ? stored.remote_endpoint : null
}

/** Empty, with a problem, where it leads nowhere. */
async function resolved(
  { settings, problems }: DraftContext,
  hostname: string,
  family: Family,
  { sent, isRestored }: FarEndRequest,
): Promise<readonly string[]> {
  const servers = settings.get('routes.dns_servers')
  const found = await resolveHost(hostname, family, servers)
  if (found.isFound) return found.addresses
  if (isRestored && sent.remote_endpoint !== undefined) return [sent.remote_endpoint]
  const other = await resolveHost(hostname, otherFamily(family), servers)
  const why = whyUnresolved({ hostname, family }, found.error, other)
  problems.add('remote_hostname', 'ENDPOINT_UNRESOLVED', message('tunnel.name_unresolved', { why }))
  return []
}

/** One that can be a far end, if any can; otherwise what is wrong with it is a problem of the name. */
function chosen(draft: DraftContext, addresses: readonly string[], held: readonly string[]): string {
  const usable = addresses.filter((address) => farEndProblem(draft, address) === null)
  return stickyAddress((usable.length > 0 ? usable : addresses).map(canonicalIp), held)
}

/** An address beside a name is what an answer shows; any other would be without effect. */
function refuseOther(
  { problems }: DraftContext,
  hostname: string,
  address: string,
  { sent: { remote_endpoint }, isRestored }: FarEndRequest,
): void {
  if (remote_endpoint === undefined || isRestored) return
  if (parseIp(remote_endpoint) && canonicalIp(remote_endpoint) === address) return
  const sentence = message('tunnel.far_end_is_a_name', { field: 'remote_endpoint', hostname, address })
  problems.add('remote_endpoint', 'INVALID_ENDPOINT', sentence)
}

type FarEnd = Pick<
  NewTunnel,
  | 'remote_endpoint'
  | 'remote_hostname'
  | 'remote_resolved_date'
  | 'remote_hostname_problem'
  | 'remote_hostname_problem_message'
>

/** What is known of the name, as long as neither it nor its address becomes another. */
export function farEndFields(
  stored: FarEnd | null,
  { remote_endpoint, remote_hostname }: Pick<FarEnd, 'remote_endpoint' | 'remote_hostname'>,
  now: string,
): FarEnd {
  const drafted = { remote_endpoint, remote_hostname }
  if (stored?.remote_hostname === remote_hostname && stored.remote_endpoint === remote_endpoint) {
    const { remote_resolved_date, remote_hostname_problem_message } = stored
    return { ...drafted, remote_resolved_date, ...problemFields(remote_hostname_problem_message) }
  }
  return { ...drafted, remote_resolved_date: remote_hostname === null ? null : now, ...problemFields(verbatim('')) }
}

const problemFields = (why: FarEnd['remote_hostname_problem_message']) => messageFields('remote_hostname_problem', why)
