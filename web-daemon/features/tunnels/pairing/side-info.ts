// GET /tunnels/side-info: what the two sides of a tunnel mean (reference.md, GET /tunnels/side-info; decisions.md,
// R30).
import { TUNNEL_SIDES } from '@panel/shared/api/base/lookups.ts'
import type { SideInfoAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { ok, type Answer } from '../../../platform/http/endpoint.ts'

const SUMMARY =
  'A and B are the two ends of one tunnel. Which server is which is arbitrary, and neither has a special role: use A on the first server that you set up and B on the second. ' +
  "A takes the first address of the tunnel's subnet and B the second. A mismatched pair, two servers on the same side or in different subnets, appears up while carrying no traffic. " +
  'A pairing code from the first server sets up the second one without any of this being typed.'

export async function showSideInfo({ settings }: ReadContext): Promise<Answer<SideInfoAnswer>> {
  const labels = settings.get('tunnel.side_labels')
  const answer: SideInfoAnswer = {
    summary: SUMMARY,
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
    identical_on_both_ends: [
      'The type of the tunnel',
      'The subnet inside the tunnel and its prefix length',
      'The GRE keys: ikey of one end is okey of the other',
      'Checksums and sequence numbers: what one end sends, the other demands',
      'The MTU, so that packets of one size pass in both directions',
    ],
    tunnel_side_ids: { a: TUNNEL_SIDES.A, b: TUNNEL_SIDES.B },
  }
  return ok(answer)
}

const describeEndpoints = (own: string, other: string): string =>
  `local_endpoint is the public address of the ${own} server, remote_endpoint that of the ${other}.`
