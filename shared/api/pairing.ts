// How the second server learns what the first one decided: the wire of pairing codes and of the two sides (interface.md, Tunnels; decisions.md, R26 to R28, R30).
import { strict, Type, type Static } from '../model/schema.ts'
import type { Warning } from './errors.ts'
import type { CreateTunnelBody } from './tunnels.ts'

export const PAIRING_CODE_MARKER = 'v1.'

export const FromPairingCodeBody = strict({
  pairing_code: Type.String({
    minLength: 1,
    maxLength: 16_384,
    'x-code': 'INVALID_PAIRING_CODE',
    'x-message': 'pairing_code must be the text that the other server shows as its pairing code.',
    description: 'As the other server shows it.',
  }),
})
export type FromPairingCodeBody = Static<typeof FromPairingCodeBody>

export type SideName = 'A' | 'B'

/** As the server that made the code sees the tunnel; both servers show the same, so that two people can compare. */
export interface PairingSummary {
  tunnel_type: string
  from_side: SideName
  to_side: SideName
  local_endpoint: string
  remote_endpoint: string
  mtu: number
  ttl: number
  ikey: number | null
  okey: number | null
}

export interface PairingCodeAnswer {
  pairing_code: string
  summary: PairingSummary
  note: string
}

/** `tunnel` can be posted to /tunnels as it is. */
export interface FromPairingCodeAnswer {
  tunnel: CreateTunnelBody
  summary: PairingSummary
  note: string
  warnings: Warning[]
}

export interface SideInfoAnswer {
  summary: string
  sides: {
    slot: 'a' | 'b'
    label: string
    address_in_subnet: string
    endpoints: string
    /** What {side} in the naming template stands for. */
    name_substitution: string
  }[]
  identical_on_both_ends: string[]
  tunnel_side_ids: { a: number; b: number }
}
