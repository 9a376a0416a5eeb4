// What root allows on this host, and what is wrong with the file that says it.
export const LIMITS = {
  'limits.beyond': '{why} ({path}). To allow it, run as root on this server: {command}',
  'limits.name': 'The name {name} is kept for other software by {by}',
  'limits.destination': 'Nothing is relayed to {address}, which {by} forbids',
  'limits.far_end': 'No tunnel leads to {address}, which {by} forbids',
  'limits.mark': 'The mark {mark} may be that of other software',
  'limits.port': 'Port {port} is protected by {by}: the operator gets in there',
  'limits.network_wide':
    'The network {network} is wider than a /{prefix_length}, and would take the way to too many others',
  'limits.network_special': 'The network {network} holds addresses of {special}, which no tunnel can carry',
  'limits.own_address': 'The address {address} lies in no network of tunnels',
  'limits.tunnel_public_addresses':
    'Tunnels would draw {count} public addresses to this server, and {most} are allowed',
  'limits.tunnel_public_subnets':
    'Tunnels would draw {count} public networks of /64 to this server, and {most} are allowed',
  'limits.tunnel_addresses': 'The networks of all tunnels would have {count} addresses, and {most} are allowed',
  'limits.tunnel_subnets': 'The networks of all tunnels would be {count} of /64, and {most} are allowed',
  'limits.tunnels': 'There would be {count} tunnels, and {most} are allowed',
  'limits.rules': 'There would be {count} relay rules, and {most} are allowed',
  'limits.rule_pairs': 'The rule has {count} pairs of an allowed source and a destination, and {most} are allowed',
  'limits.listener': 'Connections to {address} come by the tunnel {name}, and the address is in no network of tunnels',
  'limits.listened': 'Rule {number} listens on {address}, which is in no network of tunnels',
  'limits.snat': '{address} is no address of this server',
  'limits.fault': '{path}, line {line}: {why}. Nothing new is allowed until that is mended',
  'limits.unreadable': '{path} cannot be read ({error}). Nothing new is allowed until it can',
  'limits.writable':
    '{path} does not belong to root alone, and nothing new is allowed until it does. Run as root: {command}',
  'limits.no_line': 'it is not of the form "key = values"',
  'limits.no_key': 'there is no key {key}',
  'limits.no_entry': '{value} is nothing that {key} can hold',
  'limits.no_number': '{key} is one number from 0 to {most}',
  'limits.too_many_entries': '{key} has {most} entries at most',
} as const
