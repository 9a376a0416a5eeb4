// Address pools.
export const POOL = {
  'pool.not_found': 'There is no pool {pool_id}.',
  'pool.no_host_address': '{cidr} holds no address that an end of a tunnel can have.',
  'pool.one_prefix_length': '{field} must be {length} for a pool of {cidr}.',
  'pool.prefix_length': '{field} must be a whole number from {least} to {longest} for a pool of {cidr}.',
  'pool.single_address': '{cidr} is a single address: a tunnel has two ends.',
  'pool.public':
    '{pool} ({cidr}) holds public addresses: while a tunnel has some of them, their owners cannot be reached.',
  'pool.overlaps':
    '{cidr} overlaps {pools}. A subnet is given to one tunnel only, but it counts against each of these pools.',
  'pool.in_use_not_deleted': '{pool} ({cidr}) is in use by {tunnels}: it cannot be deleted.',
  'pool.in_use_range': '{pool} ({cidr}) is in use by {tunnels}: its range cannot change.',
  'pool.in_use_length': '{pool} ({cidr}) is in use by {tunnels}: its subnet length cannot change.',
  'pool.and_more': '{tunnels} and {count} more',
  'pool.is_default': 'The setting {field} names this pool; give it another value first. {why}',
  'pool.default_public':
    '{pool} ({cidr}) holds public addresses of others, so no tunnel takes from it unless it is set to.',
  'pool.default_disabled': '{pool} ({cidr}) is disabled, so no tunnel takes from it: enable it first.',
  'pool.default_deleted': '{pool} ({cidr}) cannot be deleted.',
} as const
