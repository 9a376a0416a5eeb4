// What has the server at the far end of a tunnel answer clients themselves by it.
import { message, type Message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { answersByHand } from '@panel/shared/ruleset/nft/answers.ts'
import type { Paths } from './path.ts'

type Known = Pick<Paths, 'innerAddressesOf' | 'nameOf' | 'displayNameOf'>

/** The addresses are of one family; no line is to be run where the tunnel has no inner address of it. */
export function atFarEnd(
  { innerAddressesOf, nameOf, displayNameOf }: Known,
  tunnel_id: number,
  addresses: readonly string[],
): Message[] {
  const named = { tunnel_id, interface_name: nameOf(tunnel_id) ?? '', display_name: displayNameOf(tunnel_id) }
  const isIpv6 = addresses.some((one) => one.includes(':'))
  const via = innerAddressesOf(tunnel_id).find((one) => one.includes(':') === isIpv6)
  const lines =
    via === undefined || addresses.length === 0 ? [] : answersByHand(tunnel_id, via, [...new Set(addresses)])
  return [
    message('far_end.switch', { tunnel: tunnelNamed(named) }),
    ...(lines.length > 0 ? [message('far_end.by_hand')] : []),
    ...lines.map((command) => message('far_end.line', { command })),
  ]
}
