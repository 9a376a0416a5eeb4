// Why a pairing code cannot be used.
export const PAIRING = {
  'pairing.damaged_checksum': 'The pairing code is damaged: its checksum does not match.',
  'pairing.damaged_characters': 'The pairing code is damaged: a few of its characters are not what they were.',
  'pairing.no_code': 'This is not a pairing code: it must begin with "v1.".',
  'pairing.version': 'The pairing code has version {version}, and this panel reads version 1.',
  'pairing.characters': 'The pairing code has characters that do not belong there, or lacks some.',
  'pairing.cut_off': 'The pairing code is cut off.',
  'pairing.trailing': 'There is something behind the end of the pairing code.',
  'pairing.too_large': 'The pairing code grows to more than {bytes} bytes: no tunnel needs that.',
  'pairing.damaged_archive': 'The pairing code is damaged: it cannot be unpacked.',
  'pairing.something_else': 'The pairing code holds something else than a tunnel.',
  'pairing.no_address': 'The pairing code carries no address for this end.',
  'pairing.unusable': 'The pairing code cannot be used here: {why}.',
  'pairing.no_tunnel': 'it holds no tunnel',
  'pairing.content_version': 'it has version {version}, and this panel reads version {known}',
  'pairing.not_ip': '{text} is no IP address',
  'pairing.private_here':
    'The address {address} of this end is private, and the other end {other} is public. If a cloud translates it (1:1 NAT), the other server has to enter the public address of this one as its far end.',
  'pairing.private_there':
    'The other server calls itself {address}, which is private, and this end {other} is public. If a cloud translates it (1:1 NAT), enter the public address of the other server as the far end.',
  'pairing.same_type': 'The type of the tunnel',
  'pairing.same_subnet': 'The subnet inside the tunnel and its prefix length',
  'pairing.same_keys': 'The GRE keys: ikey of one end is okey of the other',
  'pairing.same_checksums': 'Checksums and sequence numbers: what one end sends, the other demands',
  'pairing.same_mtu': 'The MTU, so that packets of one size pass in both directions',
} as const
