// Tunnels: drafts, warnings and refusals.
export const TUNNEL = {
  'tunnel.no_room_for_far_end':
    '{tunnel} has no address in whose subnet there is room for the other end: give it one, or one with a peer_address.',
  'tunnel.code_refused': 'No panel would make the other end of {tunnel} as its code would have to ask for it. {why}',
  'tunnel.pool_unknown_here':
    'The other server took the addresses from its pool {title} ({cidr}), which this one does not have. They are kept; the tunnel belongs to no pool here.',
  'tunnel.peer_address_chosen':
    'The other server does not say which address this end of {network} has: {address} is taken.',
  'tunnel.answers_from_code':
    'What comes in by this tunnel for its own addresses is answered by it, so that rules of the other server can leave clients their own addresses. Turn that off if something else routes those answers.',
  'tunnel.answers_no_way':
    'This server has no default route of {family}, so the kernel finds no way for what answers through the tunnel. Give it one, or one by the tunnel itself that comes last: {command}.',
  'tunnel.not_found': 'There is no tunnel {tunnel_id}.',
  'tunnel.mtu_too_large':
    'Packets of {mtu} bytes grow to {size} and are cut up or lost on the way; {recommended} fits.',
  'tunnel.mtu_ipv6': '{field} must be at least {least} where an address inside the tunnel is IPv6.',
  'tunnel.endpoints_identical': '{field} must be another address than {other_field}.',
  'tunnel.local_endpoint_absent':
    'No interface of this server has the address {address}: the tunnel stays silent until one has.',
  'tunnel.remote_is_here': '{field} must be an address of another server, and {address} is {what}.',
  'tunnel.own_address': 'an address of this server, on {device}',
  'tunnel.edge_address': 'the network or broadcast address of {network}',
  'tunnel.is': '{name} {reason}.',
  'tunnel.field_is': '{field} {reason}.',
  'tunnel.not_ip': 'is not an IP address',
  'tunnel.any_address': 'must be one address, not "any"',
  'tunnel.loopback_endpoint': 'must not be a loopback address',
  'tunnel.multicast_endpoint': 'must not be a multicast address',
  'tunnel.reserved_endpoint': 'must not be a broadcast or reserved address',
  'tunnel.mapped_endpoint': 'must not be an IPv4 address written as IPv6',
  'tunnel.link_local_endpoint': 'is link-local, which needs a bind_device',
  'tunnel.endpoint_family': '{field} must be an IPv{family} address for a tunnel of the type {kind}.',
  'tunnel.name_unresolved': '{why}. Enter a name that has an address, or the address itself.',
  'tunnel.name_other_family': '{hostname} has {other} addresses only, and this tunnel runs over {family}',
  'tunnel.name_last_address': '{why}: the tunnel keeps the last address.',
  'tunnel.name_not_taken': '{hostname} leads to {address} now, and the tunnel cannot follow. {why}',
  'tunnel.name_not_authenticated':
    'GRE does not authenticate: whoever answers for {hostname} gets what this tunnel sends, and can send into it.',
  'tunnel.far_end_is_a_name':
    '{field} is that of the name {hostname}, which leads to {address}: give another name, or null and the address.',
  'tunnel.route_missing':
    'This server has no route to {address}. Add one, or enter the address that the tunnel is to have.',
  'tunnel.route_several_hops':
    'The route to {address} has several next hops and no source address. Give it one with "src", or enter the address that the tunnel is to have.',
  'tunnel.route_marked':
    'Packets with a mark can take another route to {address} than the others do. Bind the tunnel to an interface, or enter the address that it is to have.',
  'tunnel.route_no_address':
    'What goes to {address} leaves by {device}, which has no {family} address that a tunnel can have. Give it one, or enter the address that the tunnel is to have.',
  'tunnel.route_through_itself':
    'The route to {address} leads through the tunnel itself, by {device}. Add one that does not, or enter the address that the tunnel is to have.',
  'tunnel.local_last_address': 'The tunnel keeps its last address. {why}',
  'tunnel.local_not_taken': 'The route to the other server has {address} now, and the tunnel cannot follow. {why}',
  'tunnel.local_is_automatic':
    '{field} is automatic, and the route to the other server has {address}: leave the address out, or enter one in the place of the automatic choice.',
  'tunnel.local_missing': '{field} must be an address where it is not automatic.',
  'tunnel.no_interface': 'This server has no interface {device}.',
  'tunnel.duplicate':
    '{tunnel} already runs between these endpoints with {key, select, none {no key} other {the key {key}}}.',
  'tunnel.no_key':
    'Without a key this is the only tunnel of its kind between these endpoints, and every GRE packet between them that has no key enters it.',
  'tunnel.key_one_way':
    'Only one direction has a key: the other end must be set up the other way round, or nothing passes.',
  'tunnel.key_reused': '{tunnel} has the same key. That works, and a key of its own is easier to tell apart.',
  'tunnel.sequence_restart':
    'When one end restarts, it numbers its packets from 0 again, and the other end drops them as old until the count passes the last one that it received. Recreating the tunnel at that other end stops this at once.',
  'tunnel.exclude_each_other': '{field} and {other_field} exclude each other.',
  'tunnel.wrong_family': '{field} applies to {family} tunnels only, and {kind} is none.',
  'tunnel.loss_order':
    'The loss that counts as down ({down} %) must not be below the one that counts as degraded ({degraded} %).',
  'tunnel.number_beyond_pool': '{pool} ends at number {number}.',
  'tunnel.subnet_taken': 'The subnet of number {number}, {subnet}, overlaps {networks}, which is in use.',
  'tunnel.no_subnet_left': 'No free subnet is left in {pools}.',
  'tunnel.no_address': 'Without an address nothing can be reached through the tunnel. Set force to go on anyway.',
  'tunnel.answer_mark':
    '{field} must not be {mark}: the marks 0x54000000 to 0x54ffffff lead answers into their tunnel, and {tunnel} is answered through.',
  'tunnel.answer_mark_taken':
    '{tunnel} has the firewall mark {mark}, which is one of those that lead answers into their tunnel (0x54000000 to 0x54ffffff). Give it another one first.',
  'tunnel.number_taken': '{tunnel} has the number {number}.',
  'tunnel.no_pool_enabled':
    'No pool of private addresses is enabled to take some from: give addresses, or enable a pool.',
  'tunnel.no_pool': 'There is no pool {pool_id}.',
  'tunnel.pool_public': '{pool} ({cidr}) holds public addresses of others. Set force to take from it anyway.',
  'tunnel.one_primary': 'Only one of the addresses can be the primary one.',
  'tunnel.prefix_length': '{field} must be from {least} to {most} for an IPv{family} address.',
  'tunnel.edge_of_prefix': '{address} is the network or broadcast address of its /{prefix_length}.',
  'tunnel.peer_family': '{field} must be of the same family as {other_field}.',
  'tunnel.given_twice': '{address} is given twice.',
  'tunnel.has_address': '{tunnel} has the address {address}.',
  'tunnel.interface_has_address': 'The interface {device} of this server has the address {address}.',
  'tunnel.carries_itself': '{network} holds the remote endpoint: the tunnel would carry itself.',
  'tunnel.takes_kept': '{network} holds {address}, {what}.',
  'tunnel.kept_own': 'an address of {device}',
  'tunnel.kept_gateway': 'the next hop of a route over {device}',
  'tunnel.kept_far_end': 'the far end of the tunnel {device}',
  'tunnel.kept_resolver': 'a DNS server that this server uses',
  'tunnel.kept_client': 'from where somebody is connected to sshd or to the panel',
  'tunnel.public_range': '{network} is a public range: its owner cannot be reached while the tunnel is up.',
  'tunnel.overlaps': '{network} overlaps {what}.',
  'tunnel.overlaps_unless_forced': '{network} overlaps {what}. Set force to go on anyway.',
  'tunnel.overlap_tunnel': 'the addresses of {tunnel}: {addresses}',
  'tunnel.overlap_route': 'the route to {destination} by {device, select, none {no device} other {{device}}}',
  'tunnel.no_name_left':
    'The naming template has no free name left. Give an interface_name, or make the template shorter (setting tunnel.naming_template).',
  'tunnel.invalid_name': '{name} is no name for an interface.',
  'tunnel.name_taken': 'There is a tunnel {tunnel} already.',
  'tunnel.name_of_interface': 'This server has an interface {name} that is no tunnel.',
  'tunnel.name_of_kernel': 'is a name that the kernel keeps for itself',
  'tunnel.name_means_all': 'means every interface',
  'tunnel.name_of_card': 'is a name that a network card can get',
  'tunnel.address_of_nobody': 'is no address that one end can have',
  'tunnel.address_loopback': 'is a loopback address',
  'tunnel.address_link_local': 'is link-local: the kernel sees to such addresses itself',
  'tunnel.address_mapped': 'is an IPv4 address written as IPv6',
  'tunnel.network_too_wide': 'is wider than a /{prefix_length}, and would take the way to too many others',
  'tunnel.network_special': 'holds addresses of {network}, which no tunnel can carry',
  'tunnel.keepalive_runtime':
    'A tunnel that is gone after a reboot has no units: let systemd or systemd-networkd keep it, or set keepalive_interval_seconds to null.',
  'tunnel.keepalive_no_far_end':
    'No address of the tunnel tells which one the far end has: give one of them a peer_address, or set keepalive_interval_seconds to null.',
  'tunnel.gone_after_reboot': 'The tunnel will be gone after a reboot. {reason}',
  'tunnel.cannot_be_kept': '{keeper} cannot keep tunnels on this server: {detail}.',
  'tunnel.keeper_unknown': 'the helper does not know it',
  'tunnel.networkd_limits': 'systemd-networkd cannot keep {limits}. Change that, or let systemd (10) keep the tunnel.',
  'tunnel.networkd_limits_of_link': 'systemd-networkd cannot keep {limits}, which the link has.',
  'tunnel.limit': '{field} ({why})',
  'tunnel.limit_bind_device': 'it binds a tunnel only to a device whose own files it has',
  'tunnel.limit_key_zero': 'it takes the key 0 for none',
  'tunnel.limit_checksums': 'it knows no checksums',
  'tunnel.limit_sequence_ipv4': 'it numbers packets of IPv4 tunnels only',
  'tunnel.limit_sequence_both': 'it numbers packets both ways or not at all',
  'tunnel.limit_tos': 'it sets no traffic class of IPv6 tunnels, which is 0x00 then',
  'tunnel.limit_encap': 'it can leave the limit out, and has it 0 otherwise',
  'tunnel.limit_fwmark': 'it gives GRE no mark',
  'tunnel.limit_queue': "it leaves the queue at the kernel's {length}",
  'tunnel.limit_name': 'it takes no such name for a link',
  'tunnel.confirm': '{name} cannot be changed so without your confirmation: {reasons}.',
  'tunnel.confirm_fixed': '{field}: only a new link can have {wanted} instead of {stored}',
  'tunnel.confirm_far_end':
    '{field}: {wanted} instead of {stored}, and nothing passes until the other end has the same change',
  'tunnel.confirm_side': '{field}: the link stays as it is, but the other end must be of the other side',
  'tunnel.confirm_persistence':
    '{field}: the link stays as it is, but something else, or nothing, brings it back after a reboot',
  'tunnel.confirm_let_go':
    '{field}: systemd-networkd takes from a link what it knows of when it lets go of it, so the link is recreated',
  'tunnel.confirm_drift': '{field}: the link on this server is not as stored, and only a new one can be',
  'tunnel.confirm_drift_far_end':
    '{field}: the link on this server is not as stored, and nothing passes unless the other end is as stored',
  'tunnel.nothing': 'none',
  'tunnel.unmanaged':
    'The panel no longer manages {name}, and {what, select, link {the interface is} other {files for it are}} on this server. To delete it, adopt it first.',
  'tunnel.not_ours':
    "The interface {name} on this server is not the tunnel's: the panel did not make it, and its ends or its key differ from what is stored. To delete both, reapply the tunnel first, which makes the interface again as stored. To keep the interface, forget the tunnel.",
  'tunnel.dependent_rules':
    'Rules relay over {name}: {rules}. They stay installed, and the path that they use is taken away.',
  'tunnel.rule_disabled': '{rule} (disabled)',
  'tunnel.both': '{first}; {second}',
  'tunnel.field': '{field}',
  'tunnel.dependants_note':
    'Disabling the tunnel leaves these rules installed and takes away the path that they use: what they relay goes nowhere until the tunnel is enabled again.',
  'tunnel.files_of_others': '{files} was not written by the panel, or was edited since. Move it aside first.',
  'tunnel.unit_left': 'A unit file for {name} is left on this server. Remove it, or choose another name.',
  'tunnel.adoptable':
    'This server has a tunnel {name} that the panel does not manage. Adopt it, or choose another name.',
  'tunnel.too_many_addresses': '{tunnel} has {count} addresses already, which is the most.',
  'tunnel.no_such_address': '{tunnel} has no address {address}.',
  'tunnel.kind_unsupported': 'This server cannot make {kind} tunnels yet. {remedy} The kernel reports: {detail}.',
  'tunnel.no_reason': 'it gives no reason',
  'tunnel.routes_lost':
    '{name} is made again, and these routes through it cannot be added to the new link: {routes}. Add them again, unless a routing daemon does.',
  'tunnel.recreated_after_all':
    '{name} was recreated, since the kernel did not change it in place. Routes of other software that cannot be added again are gone.',
  'tunnel.own_access':
    'Your own connection comes from {client_ip}, through {name} ({network}): without it you may lose access to the panel.',
  'tunnel.own_access_route':
    'The answers to your own connection from {client_ip} go by the route to {network} through {name}, which this change takes away for good: you may lose access to the panel.',
  'tunnel.own_access_captured':
    'The answers to your own connection from {client_ip} would go into {name} ({network}): you may lose access to the panel.',
  'tunnel.observed_unknown': 'Not known: {reason}',
  'tunnel.not_observed': 'Not known: nothing on the server changes, so it was not queried.',
} as const
