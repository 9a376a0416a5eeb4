// What a change would do to what goes on now.
export const IMPACT = {
  'impact.nothing': 'Nothing on this server changes.',
  'impact.none': 'No connection is interrupted.',
  'impact.new_only': 'Open connections go on; new ones are treated as the change says.',
  'impact.brief': 'For a moment nothing passes through {names}.',
  'impact.brief_measured': 'Nothing passes through {names} for about {ms} ms.',
  'impact.lasting': 'Nothing passes through {names} any more.',
  'impact.forwarding_off': 'Nothing is relayed while IP forwarding is off; open connections stand still meanwhile.',
  'impact.end': '{count, plural, one {# open connection ends} other {# open connections end}}.',
  'impact.at_risk': '{count, plural, one {# open connection may end} other {# open connections may end}}.',
  'impact.unknown': 'How many connections that concerns is not known: {why}',
  'impact.routes_lost': 'Routes that others added go and do not come back: {routes}.',
  'impact.routes_unknown': 'Which routes of others that takes along is not known.',
  'impact.not_counted': 'they have not been counted yet',
  'impact.ways_unknown': 'the routing table could not be asked',
  'impact.counted': 'As they were counted last.',
  'impact.counted_most': 'At most: some go to destinations that the change does not concern.',
  'impact.own_none': 'Your own connection is not concerned.',
  'impact.own_unknown': 'Whether your own connection goes on is not known: the routing table could not be asked.',
  'impact.own_mtu':
    'Your own connection from {client_ip} comes through {name}, which would carry smaller packets only.',
  'impact.unforeseen':
    '{count, plural, one {# item depends on another} other {# items depend on others}} of the same backup, and cannot be foreseen.',
  'impact.only_reads': 'A GET only reads: there is nothing to foresee.',
  'impact.step_switch': 'set {key} to {value}',
  'impact.step_file': 'write the file that sets it at boot',
  'impact.step_no_file': 'remove the file that sets it at boot',
} as const
