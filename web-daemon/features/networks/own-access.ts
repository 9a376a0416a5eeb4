// Keeps an operator from cutting the way of the answers to the own connection, unless that is accepted (decisions.md,
// T8).
import { parseIp } from '@panel/shared/address/ip.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { cutByNetworks, mayCutByNetworks } from '@panel/shared/impact/network-access.ts'
import type { NetworkStates } from '@panel/shared/network/model.ts'
import type { CommandContext } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import { ACCEPTING_FLAG, CONFIRM_WITHIN } from '../../platform/http/confirm-within.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export type Requester = Pick<Incoming, 'client_ip' | 'server_ip'> & {
  readonly body: { readonly i_understand_i_may_lose_access?: boolean }
}

/** Refuses a change under which the answers to the client would not find their way any more. */
export async function guardOwnAccess(
  { request, settings }: Pick<CommandContext, 'request' | 'settings'>,
  change: Change<NetworkStates>,
  { client_ip, server_ip, body }: Requester,
): Promise<void> {
  const client = parseIp(client_ip)
  if (!client || body.i_understand_i_may_lose_access === true) return
  const ends = { client, client_ip, server_ip }
  if (!mayCutByNetworks(change, ends)) return
  const found = await nullIfHelperAway(request('route.lookup', { addresses: [client_ip] }))
  const cut = cutByNetworks(change, ends, found?.routes[0] ?? null)
  if (!cut) return
  const { how, network, detail } = cut
  throw new Refusal('NETWORK_CUTS_OWN_ACCESS', detail, {
    field: ACCEPTING_FLAG,
    details: {
      client_ip,
      network,
      how,
      moves_to: null,
      flag: ACCEPTING_FLAG,
      safe_apply: { [CONFIRM_WITHIN]: settings.get('system.safe_apply_seconds') },
    },
  })
}
