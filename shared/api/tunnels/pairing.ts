// How the second server learns what the first one decided: the wire of pairing codes and of the two sides
// (reference.md, Tunnels; decisions.md, R26 to R28, R30).
import { message } from '../../messages/message.ts'
import { nullable, strict, Type, type Static } from '../../schema.ts'
import { MessageView, sentence, Warning } from '../base/errors.ts'
import { refusedWith } from '../base/fields.ts'
import { Count, list, oneOf, shape, Text, described, Whole } from '../base/shapes.ts'
import { CreateTunnelBody } from './bodies.ts'

export const PAIRING_CODE_MARKER = 'v1.'

export const FromPairingCodeBody = shape('FromPairingCodeBody', {
  pairing_code: Type.String({
    minLength: 1,
    maxLength: 16_384,
    ...refusedWith(
      'INVALID_PAIRING_CODE',
      message('input.pairing_code', { field: 'pairing_code' }),
      'The pairing code, as the other server shows it.',
    ),
  }),
})
export type FromPairingCodeBody = Static<typeof FromPairingCodeBody>

const Side = oneOf(['A', 'B'])
export type SideName = Static<typeof Side>

/**
 * The tunnel from the point of view of the server that made the code; both servers show the same, so that two people
 * can compare.
 */
export const PairingSummary = shape('PairingSummary', {
  tunnel_type: Text,
  from_side: Side,
  to_side: Side,
  local_endpoint: Text,
  remote_endpoint: Text,
  mtu: Count,
  ttl: Count,
  ikey: nullable(Count),
  okey: nullable(Count),
})
export type PairingSummary = Static<typeof PairingSummary>

export const PairingCodeAnswer = shape('PairingCode', {
  pairing_code: Type.String({ pattern: '^v1\\.' }),
  summary: PairingSummary,
  ...sentence('note'),
  warnings: list(Warning),
})
export type PairingCodeAnswer = Static<typeof PairingCodeAnswer>

export const FromPairingCodeAnswer = shape('FromPairingCode', {
  tunnel: described(CreateTunnelBody, 'Can be posted to /tunnels as it is.'),
  summary: PairingSummary,
  ...sentence('note'),
  warnings: list(Warning),
})
export type FromPairingCodeAnswer = Static<typeof FromPairingCodeAnswer>

export const SideInfoAnswer = shape('SideInfo', {
  ...sentence('summary'),
  sides: list(
    strict({
      slot: oneOf(['a', 'b']),
      label: Text,
      address_in_subnet: Text,
      endpoints: Text,
      name_substitution: described(Text, 'What {side} in the naming template stands for.'),
    }),
  ),
  identical_on_both_ends: list(Text),
  identical_messages: list(MessageView),
  tunnel_side_ids: strict({ a: Whole, b: Whole }),
})
export type SideInfoAnswer = Static<typeof SideInfoAnswer>
