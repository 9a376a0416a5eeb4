// GET /tunnels/side-info: what the two sides of a tunnel mean (reference.md, GET /tunnels/side-info; decisions.md,
// R30).
import { TUNNEL_SIDES } from '@panel/shared/api/base/lookups.ts'
import type { SideInfoAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import { ok, type Answer } from '../../../platform/http/endpoint.ts'

export async function showSideInfo({ settings }: ReadContext): Promise<Answer<SideInfoAnswer>> {
  const labels = settings.get('tunnel.side_labels')
  const answer: SideInfoAnswer = {
    ...messageFields('summary', message('note.sides')),
    sides: [
      {
        slot: 'a',
        label: 'Side A, the first server',
        address_in_subnet: 'first',
        endpoints: describeEndpoints('first', 'second'),
        name_substitution: labels.a,
      },
      {
        slot: 'b',
        label: 'Side B, the second server',
        address_in_subnet: 'second',
        endpoints: describeEndpoints('second', 'first'),
        name_substitution: labels.b,
      },
    ],
    identical_on_both_ends: IDENTICAL.map(({ message: text }) => text),
    identical_messages: IDENTICAL,
    tunnel_side_ids: { a: TUNNEL_SIDES.A, b: TUNNEL_SIDES.B },
  }
  return ok(answer)
}

const IDENTICAL = [
  message('pairing.same_type'),
  message('pairing.same_subnet'),
  message('pairing.same_keys'),
  message('pairing.same_checksums'),
  message('pairing.same_mtu'),
]

const describeEndpoints = (own: string, other: string): string =>
  `local_endpoint is the public address of the ${own} server, remote_endpoint that of the ${other}.`
