// Relay rules: drafts, plans, warnings and refusals.
export const ROUTE = {
  'route.too_many_sources': '{rule} has {count} allowed sources already, which is the most.',
  'route.name_source': 'Name the source by its cidr, or by route_allowed_source_id.',
  'route.no_such_source': '{rule} has no such allowed source.',
  'route.too_many_destinations': '{rule} has {count} destinations already, which is the most.',
  'route.only_destination':
    '{address}, port {port} is the only destination of the rule. Add another first, or delete the rule.',
  'route.name_destination': 'Name the destination by its address and port, or by route_destination_id.',
  'route.name_port': 'Name the port of the destination.',
  'route.balance_none':
    'load_balance_mode_id 10 (None) is for one destination, and {count} are enabled: choose 20 (RoundRobin), 30 (SourceHash) or 40 (Weighted).',
  'route.not_one_host': '{field} must be the IP address of one host, and {address} is none.',
  'route.source_address_family': '{field} must be an {family} address, as what is tested has.',
  'route.named_once': '{field} must name each rule once.',
  'route.not_found': 'There is no rule {route_rule_id}.',
  'route.one_active':
    'One destination at least must be enabled and have a weight above 0. To relay nothing, disable the rule.',
  'route.first_destination':
    'destination_address and destination_port must be the first of destinations, or be left out.',
  'route.destination_missing': '{field} must be the IP address that connections are relayed to.',
  'route.not_ip': '{address} is not an IP address.',
  'route.address_family': '{address} must be an {family} address, as bind_address is.',
  'route.field_family': '{field} must be an {family} address, as bind_address is.',
  'route.source_family': '{network} must be {family}, as bind_address is.',
  'route.destination_any': 'A destination must be one address, not "any".',
  'route.destination_multicast': 'A destination must not be a multicast address.',
  'route.destination_reserved': 'A destination must not be a broadcast or reserved address.',
  'route.destination_mapped': 'A destination must not be an IPv4 address written as IPv6.',
  'route.destination_link_local':
    'A destination must not be a link-local address: it means another host on every link.',
  'route.loopback':
    '{address} is this server itself: what listens there becomes reachable from outside, and the kernel drops such packets unless route_localnet is set.',
  'route.loopback_unless_forced':
    '{address} is this server itself: what listens there becomes reachable from outside, and the kernel drops such packets unless route_localnet is set. With force it is done anyway.',
  'route.range_order': '{field} must not be below {port}, the first port.',
  'route.range_width_one':
    'The ranges must be equally wide: one port is bound, so the destination has one too. Left out or null it follows by itself.',
  'route.range_width':
    "The ranges must be equally wide: {count} ports are bound, so the destination's range from {first} ends with {last}. Left out or null it follows by itself.",
  'route.range_too_high': '{count} ports from {port} on go past 65535.',
  'route.loop': '{end} is where this very rule listens: it would relay to itself.',
  'route.loop_disabled':
    '{end} is where this very rule listens: it would relay to itself. It cannot be enabled until one of the two is changed.',
  'route.destination_twice': '{address}, port {port} is among the destinations already.',
  'route.port_conflict': 'The rule {rule} listens for just the same. Disable it, or choose another port or address.',
  'route.overlap_this_first': 'Some connections match both this rule and {rule}: this rule stands first and gets them.',
  'route.overlap_other_first': 'Some connections match both this rule and {rule}: {rule} stands first and gets them.',
  'route.a_process': 'A process of this server',
  'route.port_in_use':
    '{process} listens on {protocol} port {port}: connections would go to the destination in its place.',
  'route.port_in_use_unless_forced':
    '{process} listens on {protocol} port {port}: connections would go to the destination in its place. With force it is done anyway.',
  'route.protected_port': '{port} is {owner}. No rule may take it, not even with force.',
  'route.port': 'Port {port}',
  'route.port_within': 'Port {port}, within {ports},',
  'route.owner_panel': "the panel's own: a rule on it would cut you off from the panel",
  'route.owner_ssh':
    'the one that SSH listens on: a rule on it would cut you off from the server, and the panel protects it',
  'route.ids_used_up': 'All ids that relay rules can have are used up.',
  'route.field_is': '{field} {reason}.',
  'route.bind_any': 'must be an address of this server, or 0.0.0.0 for every one',
  'route.bind_loopback': 'must not be a loopback address: no connection from outside comes to it',
  'route.family_id': '{field} must be {id} ({family}), as bind_address is {address}.',
  'route.every_address':
    '{address} is every address of this server: whoever reaches any of them reaches the destination, unless allowed_sources says otherwise.',
  'route.bind_interface_absent':
    'This server has no interface {device}: until it does, no connection reaches the rule.',
  'route.interface_no_address': '{name} has no {family} address: until it has, the rule keeps the last one.',
  'route.interface_address_missing':
    '{name} has no {family} address now. Give it one, or send the address to use until it has.',
  'route.bind_absent':
    'No interface of this server has the address {address}: the rule sees no connection until one has.',
  'route.snat_unused': '{field} has a meaning only with nat_mode_id 20 (SNAT). Send null for it, or choose that mode.',
  'route.mss_clamp':
    '{tunnel} carries smaller packets than the network before it: without is_clamp_mss_to_pmtu large transfers may hang.',
  'route.snat_missing': 'nat_mode_id 20 (SNAT) needs a snat_address, one of this server.',
  'route.snat_invalid': '{field} must be an address of this server that others can answer to, and {address} is none.',
  'route.snat_absent': 'No interface of this server has the address {address}: answers to it would not come back here.',
  'route.nat_none':
    "The destination sees the client's own address, and must send its answers back through this server: otherwise no connection is established.",
  'route.nat_hides': "The destination sees an address of this server in the place of the client's.",
  'route.shift_too_wide':
    'The range and its destinations shift {count} ports, and {most} are the most: bind the very ports that the destinations have, or fewer.',
  'route.too_many_elements':
    "With this rule all rules together would take {count} elements of the kernel's table, and {most} are the most. It is ports that are shifted that take so many: bind the very ports that the destinations have, or fewer.",
  'route.backend_bound':
    'What carries out the rules of this server has a bound: {why}. {remedy}; or install the package nftables and restart the root helper.',
  'route.remedy_balance': 'Choose another mode, or enable fewer destinations',
  'route.remedy_connections': 'Choose a smaller number, or null for no limit',
  'route.remedy_rate': 'Send null, or limit with connection_rate_limit',
  'route.remedy_fast_path': 'Send null or false',
  'route.fast_path_on':
    'New connections take the fast path; those that were there before stay on the slow one. Chains of other firewalls do not see their packets once they are established.',
  'route.fast_path_off': 'The fast path is off in the settings (routes.fast_path).',
  'route.fast_path_own': 'The rule itself keeps its connections off the fast path.',
  'route.fast_path_unable': 'This server has no fast path; its capabilities say why.',
  'route.fast_path_slow': 'The rule has {field}, so every packet of it is on the slow path.',
  'route.remedy_ipv4': 'Bind an IPv4 address',
  'route.not_network': '{network} is not an address or a network such as 203.0.113.0/24.',
  'route.source_twice': '{network} is among the allowed sources already.',
  'route.title_taken': 'Another rule ({route_rule_id}) is called {rule} already.',
  'route.no_such_destination': '{rule} has no such destination.',
  'route.rules_unreadable': "The kernel's rules cannot be read, so none is changed: {detail}",
  'route.connections_kept': 'The change is made, and the earlier connections could not be ended: {reason}',
  'route.source_ports':
    "The rule has {connections} connections of the at most {room} that this server's address has ports for towards its destinations: beyond that no new one is established. Add a destination, or relay from several addresses by rules of their own with SNAT.",
  'route.step': 'In one transaction of the kernel: {work}.',
  'route.step_relay': 'relay {protocol} of {listens} to {there}',
  'route.step_put': 'put {count} rules in force',
  'route.step_take': 'take {rules} out of force',
  'route.step_close': 'have {rules} refuse new connections',
  'route.step_both': '{first}, and {second}',
  'route.step_counters': 'Read the counters of {rules} for the last time and take them away.',
  'route.rule_number': 'rule {route_rule_id}',
  'route.rule_count': '{count} rules',
} as const
