// How a relay rule is, and why: its health, and what an analysis finds on its path.
export const HEALTH = {
  'health.disabled': 'The rule is disabled: it is stored and not in force',
  'health.inconsistent': 'The last change did not work and could not be undone: {why}',
  'health.reapply': 'reapply the rule',
  'health.reason_unknown': 'the reason is not known',
  'health.restored': 'The last change did not work, and everything is as it was before',
  'health.pending': 'A change was started, and its outcome is unknown',
  'health.unreadable': "The kernel's rules cannot be read: {why}",
  'health.helper_silent': 'the root helper does not answer',
  'health.as_stored': 'The rule in the kernel matches what is stored',
  'health.as_stored_beside': 'The rule in the kernel matches what is stored. {text}',
  'health.not_taken': 'No other software takes what the rule listens for.',
  'health.unmarked':
    '{count, plural, one {# open connection} other {# open connections}} of the rule bear another mark than the panel set ({marks}): something on this server overwrites it, so they are neither masqueraded nor counted.',
  'health.fix_unmarked':
    'Find what sets connection marks on this server, such as a VPN script, a policy-routing tool or an eBPF program, and have it leave marks alone that are already set.',
  'health.marks_unreadable':
    "No rule of other software overwrites the mark of the rule's connections; whether something else does is not known: {why}",
  'health.not_marked': "No other software overwrites the mark of the rule's connections.",
  'health.shadowed': 'The rule can never match: it is shadowed by {rules}, which stands earlier',
  'health.in_part': 'The kernel holds the rule in part: {why}',
  'health.missing': 'The kernel does not hold the rule: it was removed outside the panel',
  'health.otherwise': 'The rule in the kernel differs from what is stored ({why})',
  'health.stray': "The rule is in place, but the panel's table holds something that is not of the panel ({what})",
  'health.strays':
    "The rule is in place, but the panel's table holds something that is not of the panel ({what}, and {count} more)",
  'health.forwarding_off': '{family} forwarding is off, so the rule relays nothing',
  'health.tunnel_gone': 'The tunnel {tunnel_id} that the rule relays over no longer exists',
  'health.tunnel_down': 'The tunnel {tunnel} that the rule relays over is down',
  'health.sentence': '{text}.',
  'health.all_well': 'Nothing on the way stops what the rule relays, and it has relayed something.',
  'health.is_enabled': 'The rule is enabled.',
  'health.is_disabled': 'The rule is disabled: it is stored and not in force.',
  'health.fix_enable': 'Enable the rule.',
  'health.fix_reapply': 'Reapply the rule.',
  'health.fix_reapply_stray': 'Reapply the rule, which takes it out.',
  'health.forwarding_state': '{family} forwarding {state, select, on {is on} other {is off}}.',
  'health.fix_forwarding': 'Turn IP forwarding on.',
  'health.fix_table': 'Have the kernel track up to {size, number} connections.',
  'health.fix_table_room':
    'This server has room to track {most, number} connections at most: give it more memory, or relay fewer connections.',
  'health.not_shadowed': 'No rule that stands earlier takes all that this one listens for.',
  'health.fix_order': 'Move the rule before {rules}, or disable {count, plural, one {that one} other {those rules}}.',
  'health.firewalls_unreadable': '{detail}, so a firewall that drops relayed packets would not be seen here.',
  'health.firewalls_unread':
    'Rules of other software have just changed or have not been read yet, so it is not known whether they drop what the rule relays: its health shows that once it is in force',
  'health.facts_unread': 'Not everything that may keep the rule from relaying could be read: {why}',
  'health.firewalls_fine':
    '{count} rules of other software affect relayed packets, and none of them seems to drop what the rule relays.',
  'health.block_unsure': '{block} That cannot be determined for certain. {remedies}',
  'health.no_tunnel': 'No tunnel leads to its destinations.',
  'health.tunnel_state': 'The tunnel {tunnel} that the rule relays over {state, select, up {is up} other {is down}}.',
  'health.fix_tunnel_up': 'Enable {tunnel}.',
  'health.fix_tunnel_reapply': 'Reapply {tunnel}.',
  'health.fix_other_tunnel': 'Name another tunnel, or none.',
  'health.destination_answers': 'The destination answers, or shows no sign of a fault: {results}.',
  'health.destinations_answer': 'No destination shows a sign of a fault: {results}.',
  'health.destinations_away': '{count} of {total} checks of the destinations failed: {results}.',
  'health.result':
    '{state, select, silent {{protocol} {address} port {port} stays silent} answers {{protocol} {address} port {port} answers} other {{protocol} {address} port {port} cannot be reached}}',
  'health.fix_reach': 'Check that {protocol} port {port} of {address} can be reached from this server.',
  'health.mtu_fine': 'No known hop on the path takes smaller packets than the network before it.',
  'health.mtu_clamped':
    '{name} takes packets of {mtu} bytes, which is less than what comes in, and the MSS of TCP connections is lowered to match.',
  'health.mtu_problem':
    '{name} takes packets of {mtu} bytes, which is less than what comes in, and the MSS of TCP connections is not lowered: large transfers may hang.',
  'health.fix_clamp': 'Set is_clamp_mss_to_pmtu.',
  'health.connections_unknown':
    'It is not known how many connections the rule relays: connection tracking has not been read yet, or cannot be.',
  'health.connections': 'The rule relays {count} connections.',
  'health.connections_of':
    "The rule relays {count} connections of the at most {most} that this server's address has ports for.",
  'health.has_relayed': 'The rule has relayed {there} packets towards its destination and {back} back.',
  'health.nothing_came': 'Nothing that the rule would relay has come yet.',
  'health.none_forwarded':
    '{count, plural, one {# attempt to connect} other {# attempts to connect}} arrived at the rule and none was forwarded: something on this server drops them.',
  'health.fix_none_forwarded':
    'Look at the routing policy (ip rule), and for a program in the kernel that filters packets.',
  'health.fix_try': 'Try it from outside.',
  'health.fix_inbound':
    'Check that the clients go to the bind address, and that nothing before this server {what, select, datagrams {drops datagrams} other {drops connections}} to port {port}.',
  'health.interface_absent':
    'There is no interface {name}, so nothing arrives at the rule. It works again by itself once the interface is there',
  'health.address_absent':
    '{address} is on no interface of this server, so nothing arrives there. The rule works again by itself once the address is back',
  'health.interface_no_address':
    '{name} has no address now, and its last, {address}, is on no interface of this server, so nothing arrives there',
  'health.bridge_port':
    '{name} is a port of the bridge {bridge}: packets come in by the bridge, so the rule matches none',
  'health.fix_interface': 'Bring the interface back, or bind the rule to another one.',
  'health.fix_address': 'Give the address to an interface, or let the rule listen on another one.',
  'health.fix_interface_address':
    'Give {name} an address, which the rule takes at once, or let the rule listen on another one.',
  'health.fix_bridge': 'Bind the rule to {bridge}.',
  'health.fix_setting': 'Change the setting: {command}.',
  'health.interface_off':
    'IPv4 forwarding is off on {name}, by which {what, select, replies {the replies come in} other {the packets come in}}, so they are dropped',
  'health.reverse_path':
    '{what, select, replies {Replies of {address}} clients {Clients from outside its networks} other {Packets of {address}}} that come in by {name} are dropped: the way back leaves by {device}, and the reverse path filter of {name} is strict',
  'health.reverse_path_replies':
    'Replies reach this server and are dropped here: the way to {address} leaves by {device}, and the reverse path filter is strict on {names}',
  'health.older_flows':
    '{count, plural, one {# UDP flow is} other {# UDP flows are}} older than the rule, and not relayed for as long as the senders go on',
  'health.older_unreadable': 'UDP flows that are older than the rule were not looked for: {detail}',
  'health.fix_older': 'Reapply the rule: that ends them.',
  'health.table_nearly_full':
    'Connection tracking holds {count, number} of at most {max, number} connections ({usage} %): when it is full, new connections are dropped',
  'health.no_route': 'This server has no route to {address}, so what the rule relays there is dropped',
  'health.no_routes':
    'This server has no route to {address} and {count, plural, one {# other destination} other {# other destinations}}, so what the rule relays there is dropped',
  'health.fix_route': 'Add a route to it, or bring up the interface that leads there.',
  'health.route_elsewhere':
    'Packets to {address} leave by {device} and not by {tunnel}, the tunnel that the rule names',
  'health.fix_route_over': 'Let them leave by it: {command}.',
  'health.fix_drained': 'Put the destination back.',
  'health.fix_destination': 'Look at the service there and at the way to it.',
  'health.fix_name': 'Correct the name, or its entry in the DNS.',
  'health.no_replies': '{count, plural, one {# packet} other {# packets}} went to the destination, and none came back',
  'health.fix_way_back': 'Give the destination a route to the clients through this server, or let the rule masquerade.',
  'health.fix_destination_silent':
    'Check that the service at the destination runs, and that a firewall there lets the packets of this server in.',
  'health.has_listener': '{address} is an address of this server.',
  'health.has_route': 'This server has a route to every destination.',
  'health.replies_elsewhere':
    'Replies to {address} leave by {device}, and its packets came in by {name}: the networks on the way drop what comes from an address that is not theirs',
  'health.fix_reply_interface':
    'Choose {name} as the interface of this rule: replies leave by it then, if it has a default route beside the first. A route to these clients by another interface has to go.',
  'health.fix_reply_route':
    'Give {name} a default route of its own, with a higher metric than the first: replies leave by it then. A route to these clients by another interface has to go.',
  'health.deleted': 'The rule was deleted',
} as const
