// The endpoints for pairing the two ends of a tunnel.
import { preview, query } from '../../../platform/http/endpoint.ts'
import { fromPairingCode } from './from-pairing-code.ts'
import type { PairingThrottle } from './throttle.ts'
import { showPairingCode } from './pairing.ts'
import { showSideInfo } from './side-info.ts'

const tag = 'tunnels'

export function pairingEndpoints(throttle: PairingThrottle) {
  return [
    query(
      'GET /tunnels/side-info',
      { tag, summary: 'What the sides A and B mean, and what must be the same on both ends.' },
      showSideInfo,
    ),
    query(
      'GET /tunnels/{id}/pairing-code',
      {
        tag,
        summary: 'A short text with all that the other server needs to make its end of this tunnel.',
        statuses: [409],
      },
      showPairingCode,
    ),
    preview(
      'POST /tunnels/from-pairing-code',
      {
        tag,
        summary:
          'Read the other server\'s pairing code. Makes nothing: "tunnel" is the request for POST /tunnels that makes the other end.',
        statuses: [409],
      },
      fromPairingCode(throttle),
    ),
  ]
}
