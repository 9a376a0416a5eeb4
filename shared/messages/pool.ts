// Address pools.
export const POOL = {
  'pool.not_found': 'There is no pool {pool_id}.',
  'pool.no_host_address': '{cidr} holds no address that an end of a tunnel can have.',
  'pool.prefix_length': '{field} must be a whole number from {least} to {longest} for a pool of {cidr}.',
  'pool.single_address': '{cidr} is a single address: a tunnel has two ends.',
  'pool.public':
    '{pool} ({cidr}) holds public addresses: while a tunnel has some of them, their owners cannot be reached.',
  'pool.overlaps':
    '{cidr} overlaps {pools}. A subnet is given to one tunnel only, but it counts against each of these pools.',
} as const
