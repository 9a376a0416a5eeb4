// What an analysis of a tunnel finds, and what to do about it.
export const FINDING = {
  'finding.healthy': 'The other end answers through the tunnel, to large packets too.',
  'finding.unproven': 'No fault was found, but nothing answered through the tunnel.',
  'finding.interface': 'The interface {name} is there.',
  'finding.interface_missing': 'The interface {name} is not there.',
  'finding.fix_reapply': 'Reapply the tunnel.',
  'finding.no_link': 'There is no interface that could be up.',
  'finding.drawn':
    '{name} draws {addresses} public IPv4 addresses and {subnets} public IPv6 networks (/64) to this server.',
  'finding.link_up': '{name} is up.',
  'finding.link_lower_down': '{name} is up, but has no link below it.',
  'finding.link_down': '{name} is down.',
  'finding.fix_enable': 'Enable the tunnel: it is disabled.',
  'finding.fix_bound': 'Bring the interface up that the tunnel is bound to.',
  'finding.no_answer': 'no answer in time',
  'finding.no_other_server': 'The tunnel names no other server',
  'finding.underlay_answers': 'The other server {address} answers.',
  'finding.underlay_silent': 'The other server {address} does not answer: {why}.',
  'finding.fix_reach':
    'Check that {address} is up and can be reached from this server: a traceroute shows how far packets get.',
  'finding.fix_remote': 'Check that {field} is the address of the other server.',
  'finding.fix_local':
    'Check that {field} {address} is an address of this server, and that it has a route to {remote}.',
  'finding.fix_keys':
    'Compare the keys of both ends: ikey here ({ikey}) is okey there, and okey here ({okey}) is ikey there. So with checksums and sequence numbers.',
  'finding.fix_pair': 'A pairing code of this tunnel gives the other server all of them.',
  'finding.nothing_sent': 'Nothing can be sent without an interface.',
  'finding.nobody_asked': 'Nothing inside the tunnel was probed. {reason}',
  'finding.inside_answers': 'The other end {address} answers through the tunnel.',
  'finding.inside_silent': 'The other end {address} does not answer through the tunnel: {why}.',
  'finding.fix_tunnel_there':
    'Check that the other server has a tunnel from {from} to {to}, of the same type, and that it is up.',
  'finding.refused_here':
    '{text} Meanwhile this server refused {count} packets, as it does those that none of its tunnels takes.',
  'finding.fix_sends': 'Check that the tunnel of the other server sends from {from} to {to}.',
  'finding.fix_other_up': 'Check that the other server has a tunnel to this one, and that it is up.',
  'finding.fix_firewall_between':
    'Check that no firewall between here and {address}, nor one of the other server, drops GRE (IP protocol 47).',
  'finding.fix_address_and_keys':
    'Check that {address} is an address of the tunnel on the other server, and that both ends have the same keys: a packet with another key is dropped.',
  'finding.no_counters': 'There are no counters without an interface.',
  'finding.counters':
    'In {seconds} s {sent} packets went out and {received} came in; errors: {errors_out} out, {errors_in} in.',
  'finding.fix_compare_addresses':
    'Compare the addresses: {address} is to be an address of the tunnel on the other server.',
  'finding.fix_sequence':
    'If the other end has restarted, wait until it has sent as many packets as before, or turn sequence numbers off at both ends: the tunnel demands them, and {count} packets were refused, as those are that count from 0 again. To recreate the tunnel here alone has the other end refuse packets instead, if it demands numbers too.',
  'finding.mtu_untried': 'Whether large packets arrive was not tried, as small ones do not.',
  'finding.mtu_arrives': 'Packets of {mtu} bytes, the MTU of {name}, arrive.',
  'finding.mtu_lost': 'Small packets arrive, and those of {mtu} bytes, the MTU of {name}, do not.',
  'finding.fix_mtu': 'Find the MTU that fits with an MTU probe, and apply it.',
  'finding.fix_let_out': 'Let GRE (IP protocol 47) to {address} and everything out of {name} through.',
  'finding.blocked_in': 'Table {table}, chain {chain}, drops GRE that comes from {address}: {text}.',
  'finding.blocked_out': 'Table {table}, chain {chain}, drops GRE that this server sends to {address}: {text}.',
  'finding.dropped_here': 'A firewall rule of this server drops what it sends itself.',
  'finding.stuck_here':
    'This server does not let out the GRE packets that the tunnel sends, though it reaches the other server.',
  'finding.firewalls_unreadable': '{detail}, so a firewall of this server that drops GRE would not be seen here.',
  'finding.no_block': 'No rule of other software is seen that drops GRE.',
} as const
