// The words of nft that each of our tables has.
export const FAMILIES = [4, 6] as const

/** Priorities as in linux/netfilter_ipv4.h. */
export const hooked = (type: string, hook: string, priority: number): string =>
  `type ${type} hook ${hook} priority ${priority}; policy accept;`

export const ip = (family: 4 | 6): string => (family === 4 ? 'ip' : 'ip6')
