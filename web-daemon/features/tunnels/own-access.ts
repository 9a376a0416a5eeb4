// Keeps an operator from cutting the branch he sits on: a change that takes away the way of the answers to his own
// connection, or leads them elsewhere, is refused until he accepts it (reference.md, DELETE /tunnels/{id};
// decisions.md, T8, R22). The way is that of the kernel's routing table, so that a client behind the far end is known
// too.
import { formatCidr, parseIp } from '@panel/shared/address/ip.ts'
import type { TunnelAddress, TunnelState } from '@panel/shared/tunnel/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { cutOf, cutMessage, effectOf, mayCut, movesTo, type Cut } from '@panel/shared/impact/own-access.ts'
import type { ReadContext } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import { ACCEPTING_FLAG, CONFIRM_WITHIN } from '../../platform/http/confirm-within.ts'
import { Refusal } from '../../platform/http/refusal.ts'

interface Requester {
  /** The address of the connection; "" without one. */
  readonly client_ip: string
  /** The address of this host that it was made to. */
  readonly server_ip: string
  readonly accepts: boolean
}

interface Guarded {
  readonly interface_name: string
  readonly addresses: readonly TunnelAddress[]
}

/** Refuses a change under which the answers to the client would not find their way any more. */
export async function guardOwnAccess(
  { request, settings }: Pick<ReadContext, 'request' | 'settings'>,
  guarded: Guarded,
  change: Change<TunnelState>,
  { client_ip, server_ip, accepts }: Requester,
): Promise<void> {
  const client = parseIp(client_ip)
  const effect = effectOf(guarded, change)
  if (!client || accepts || !mayCut(effect, client)) return
  const found = await nullIfHelperAway(request('route.lookup', { addresses: [client_ip] }))
  const cut = cutOf(guarded.interface_name, effect, { client, server_ip }, found?.routes[0] ?? null)
  if (!cut) return
  const requester = { client_ip, moves_to: movesTo(change, server_ip) }
  throw wouldCut(guarded.interface_name, requester, cut, settings.get('system.safe_apply_seconds'))
}

interface Affected {
  readonly client_ip: string
  /** The panel's address afterwards; null if it stays, or nothing takes its place. */
  readonly moves_to: string | null
}

function wouldCut(interface_name: string, { client_ip, moves_to }: Affected, cut: Cut, seconds: number): Refusal {
  return new Refusal('WOULD_CUT_OWN_ACCESS', cutMessage(cut, client_ip, interface_name), {
    field: ACCEPTING_FLAG,
    details: {
      interface_name,
      client_ip,
      network: formatCidr(cut.network),
      how: cut.how,
      moves_to,
      flag: ACCEPTING_FLAG,
      safe_apply: { [CONFIRM_WITHIN]: seconds },
    },
  })
}
