// Networks behind tunnels.
export const NETWORK = {
  'network.not_found': 'There is no network {network_id}.',
  'network.title_taken': 'The network {network} has this title already.',
  'network.exists': 'The network {network} has this destination already.',
  'network.path_twice': '{tunnel} is among the paths already.',
  'network.paths_down': 'No path can carry, since these tunnels are disabled: {tunnels}.',
  'network.share_underlay': 'These tunnels leave this server by {device}, and are lost together with it: {tunnels}.',
  'network.family': '{field} must be {family}, as the destination is.',
  'network.own_twice': '{address} is given twice.',
  'network.own_elsewhere': '{address} is an own address of the network {network}.',
  'network.own_of_device': '{address} is an address of {device}.',
  'network.inside': '{destination} lies inside {networks}: what is for it takes its own paths.',
  'network.holds_networks': 'Inside {destination} there are networks that keep their own paths: {networks}.',
  'network.no_such_path': 'The tunnel {tunnel_id} is no path of the network {network}.',
  'network.path_carries': 'No other usable path is preferred to it.',
  'network.path_standby': 'A preferred path carries.',
  'network.path_taken_out': 'It was taken out by hand.',
  'network.path_failed':
    'The monitor has found {tunnel} down. It comes back once the other side has answered for a while.',
  'network.all_failed':
    'The monitor has found every path of it down that could carry. One goes on carrying, so that it works again by itself.',
  'network.path_disabled': '{tunnel} is disabled.',
  'network.path_gone': 'The panel no longer manages {tunnel}.',
  'network.path_last': 'It carries all the same, since no other path can.',
  'network.observed_unknown': 'What this server holds of it is unknown: {reason}',
  'network.not_observed': 'This change does not concern the server, so nothing was read back.',
  'network.lacks_network': 'This server keeps nothing of it.',
  'network.lacks_route': 'Its route is missing, or is another one.',
  'network.lacks_path': '{name} does not carry: its link is down or missing.',
  'network.lacks_address': '{address} is missing on the loopback interface.',
  'network.lacks_answers': 'What comes in for its own addresses may be answered by another path.',
  'network.own_access_goes':
    'The answers to your own connection from {client_ip} go by the route to {network}, which this change takes away: you may lose access to the panel.',
  'network.own_access_captured':
    'The answers to your own connection from {client_ip} would go by the route to {network}: you may lose access to the panel.',
  'network.own_access_address':
    'Your own connection from {client_ip} was made to {address}, which this change takes away from this server: you may lose access to the panel.',
  'network.not_moved': 'The networks that have it as a path were not moved to their other paths: {why}',
  'network.tunnel_is_path':
    '{tunnel} is a path of networks: {networks}. If it is deleted all the same, they go on over their other paths.',
  'network.tunnel_is_only_path':
    '{tunnel} is the only path of networks: {networks}. Give them another path, or delete them first.',
  'network.tunnel_renamed':
    '{tunnel} is a path of networks, which know it by its interface: {networks}. Take it off their paths before it gets another name.',
  'network.tunnel_forgotten':
    '{tunnel} is a path of networks: {networks}. Take it off their paths before the panel forgets it.',
} as const
