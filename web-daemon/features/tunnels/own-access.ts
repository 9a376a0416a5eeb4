// Keeps an operator from cutting the branch he sits on: a request that comes through a tunnel does not take it away
// (reference.md, DELETE /tunnels/{id}; decisions.md, T8, R22).
import { contains, formatCidr, parseIp } from '@panel/shared/address/ip.ts'
import type { TunnelAddress, TunnelState } from '@panel/shared/tunnel/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { addressNetworks } from '@panel/shared/tunnel/networks.ts'
import { planChange } from '@panel/shared/tunnel/plans.ts'
import { message } from '@panel/shared/messages/message.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export const ACCEPTING_FLAG = 'i_understand_i_may_lose_access'

/**
 * Refuses a change that takes the link away or down, or an address from it, under a request that comes through just
 * that.
 */
export function guardChange(
  { interface_name, addresses }: Guarded,
  change: Change<TunnelState>,
  client_ip: string,
  accepts: boolean,
): void {
  const { steps } = planChange(change)
  const isCut = steps.some(({ kind }) => kind === 'link_delete' || kind === 'link_down')
  const live = change.before?.link?.config.addresses ?? []
  const removed = steps.flatMap((step) => (step.kind === 'address_remove' ? [step.address] : []))
  guardOwnAccess(interface_name, isCut ? [...addresses, ...live] : removed, client_ip, accepts)
}

interface Guarded {
  readonly interface_name: string
  readonly addresses: readonly TunnelAddress[]
}

/**
 * `client_ip` is the address of the connection. An IPv4 client of a socket for both families shows as ::ffff:a.b.c.d.
 */
export function guardOwnAccess(
  interface_name: string,
  addresses: readonly TunnelAddress[],
  client_ip: string,
  accepts: boolean,
): void {
  const client = parseIp(client_ip.replace(/^::ffff:(?=\d+\.)/i, ''))
  const network = client && addressNetworks(addresses).find((one) => contains(one, client))
  if (!network || accepts) return
  throw new Refusal(
    'WOULD_CUT_OWN_ACCESS',
    message('tunnel.own_access', { client_ip, name: interface_name, network: formatCidr(network) }),
    {
      field: ACCEPTING_FLAG,
      details: { interface_name, client_ip, network: formatCidr(network), flag: ACCEPTING_FLAG },
    },
  )
}
