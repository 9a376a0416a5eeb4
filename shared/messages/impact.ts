// What a change would do to what goes on now.
export const IMPACT = {
  'impact.nothing': 'Tunnels, networks, relay rules and IP forwarding stay as they are.',
  'impact.none': 'No connection is interrupted.',
  'impact.new_only': 'Open connections continue; new ones follow the change.',
  'impact.brief': 'For a moment nothing passes through {names}.',
  'impact.brief_measured': 'Nothing passes through {names} for about {ms} ms.',
  'impact.far_end_follows': 'It lasts until the far end has the same change.',
  'impact.lasting': 'Nothing passes through {names} any more.',
  'impact.network_lasting': 'This server no longer leads anything to {networks} by tunnels.',
  'impact.forwarding_off': 'Nothing is relayed while IP forwarding is off; open connections stand still meanwhile.',
  'impact.end': '{count, plural, one {# open connection ends} other {# open connections end}}.',
  'impact.older':
    '{count, plural, one {# of them is a UDP flow} other {# of them are UDP flows}} older than the rule, which then relays what the senders send next.',
  'impact.at_risk': '{count, plural, one {# open connection may end} other {# open connections may end}}.',
  'impact.unknown': 'The number of affected connections is unknown: {why}',
  'impact.routes_lost': 'Routes added by other software are lost and not restored: {routes}.',
  'impact.routes_unknown': 'Which routes of other software that removes is unknown.',
  'impact.not_counted': 'they have not been counted yet',
  'impact.ways_unknown': 'the routing table could not be read',
  'impact.counted': 'As they were counted last.',
  'impact.counted_most': 'At most: some go to destinations that the change does not affect.',
  'impact.others': 'Counted now. A narrower route may lead some of them elsewhere.',
  'impact.others_networks': 'more than {most} networks lie behind the tunnels',
  'impact.own_none': 'Your own connection is not affected.',
  'impact.own_unknown': 'Whether your own connection goes on is not known: the routing table could not be read.',
  'impact.own_mtu':
    'Your own connection from {client_ip} comes through {name}, which would carry smaller packets only.',
  'impact.unforeseen':
    '{count, plural, one {# item depends on another} other {# items depend on others}} of the same backup, and cannot be foreseen.',
  'impact.only_reads': 'A GET only reads: there is nothing to foresee.',
  'impact.keeps_advertised':
    'The IPv6 routes that this server has by router advertisement on {names} stay: accept_ra is set to 2 there first.',
  'impact.own_kept':
    'Your own connection from {client_ip} is answered by a route that this server has by router advertisement on {name}. It stays, since accept_ra is set to 2 there first.',
  'impact.step_switch': 'set {key} to {value}',
  'impact.step_file': 'write the file that sets it at boot',
  'impact.step_no_file': 'remove the file that sets it at boot',
} as const
