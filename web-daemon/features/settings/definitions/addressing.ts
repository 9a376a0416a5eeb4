// The settings of the category addressing: where the addresses of a new tunnel come from, and what they are checked
// against.
import { bool, int, orNull } from '../kinds.ts'

export const ADDRESSING = {
  'addressing.default_pool_id': {
    ...orNull(
      int(
        1,
        { min: 1, max: Number.MAX_SAFE_INTEGER },
        'Pool that a new tunnel takes its subnet from where its request names none, while the pool is enabled and has one left. Null: the first that has.',
      ),
    ),
    constraints: { min: 1, max: Number.MAX_SAFE_INTEGER, lookup_table: 'address_pool', nullable: true },
  },
  'addressing.default_prefix_len': int(
    30,
    { min: 30, max: 127 },
    'Length of the subnet that each tunnel gets from a new pool whose request does not say. Where the range cannot be cut so, it is 30 for IPv4 and 126 for IPv6.',
  ),
  'addressing.allow_public_ranges': bool(
    false,
    'Whether tunnels may take subnets from a pool of public addresses without "force".',
  ),
  'addressing.check_route_overlap': bool(
    true,
    'Whether addresses of a tunnel that overlap the routing table of this server are refused. Those that overlap another tunnel always are. Turn it off where such an overlap is intended.',
  ),
}
