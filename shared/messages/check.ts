// Checks of destinations: what is refused of them, why a destination is up or down, and how a rule is by them.
export const CHECK = {
  'check.kind': '{field} must be tcp, http or icmp: silence of a UDP port decides nothing.',
  'check.path': '{field} must begin with "/" and have at most {length} characters of ASCII, none of them a blank.',
  'check.host': '{field} must be a host name or an address of at most {length} characters.',
  'check.undecidable':
    'The rule relays UDP, and silence of a UDP port decides nothing: name tcp, http or icmp, which the destinations must answer.',
  'check.timeout': '{field} must not be longer than the interval.',
  'check.refuse_in_use':
    '{process} listens on {protocol} port {port} of this server and would get the connections that are to be refused.',
  'check.hostname':
    '{field} must be a host name of at most 253 characters: labels of letters, digits and hyphens, separated by dots.',
  'check.only_backups': 'One destination at least must not be a backup.',
  'check.address_beside':
    '{address} is not what {hostname} resolves to. Give the address or the name: beside a name the address has no effect.',
  'check.unresolved': '{hostname} does not resolve ({error}): it gets no connection until it does.',
  'check.unresolved_unless_forced':
    '{hostname} does not resolve ({error}). With force it is stored, and gets no connection until it does.',
  'check.leads_home':
    '{address}, port {port} is the panel or SSH of this server itself: a name that leads there is not used.',
  'check.stale': '{hostname} has not resolved {count} times in a row ({error}): its last addresses stay in use.',
  'check.too_many_addresses':
    'The rule would have more than {count} destinations, so new addresses of {hostname} are not used.',
  'check.never': 'Not checked yet',
  'check.off': 'Not checked',
  'check.accepts': 'Port {port} accepts connections',
  'check.refuses': 'Port {port} refuses connections',
  'check.silent': 'No answer within {timeout, number} ms',
  'check.failed': 'It cannot be reached: {error}',
  'check.status': 'It answers HTTP with {status}',
  'check.status_other': 'It answers HTTP with {status}, and {expected} is expected',
  'check.no_http': 'It does not answer in HTTP: {error}',
  'check.no_echo': 'It does not answer echo requests',
  'check.echo': 'It answers echo requests',
  'check.tunnel_down': 'The tunnel {tunnel} is down',
  'check.flapping': '{why}. It changes too often, so it is held out until {until}',
  'check.drained': 'Taken out by hand',
  'check.drained_until': 'Taken out by hand until {until}',
  'check.drain_over': 'The time for which it was taken out is over',
  'check.returned': 'Put back by hand',
  'check.destination_down': '{destination} is down: it gets no new connections until it is up again.',
  'check.all_down': 'No destination is up: new connections are relayed as if all were.',
  'check.all_down_refused': 'No destination is up: new connections are refused.',
  'check.shifted_slow':
    'Moving {count, number} ports from one destination to another takes seconds, during which no other change is made.',
  'check.health_some': '{count} of {total} destinations take new connections. {destination}: {why}',
  'check.health_backup': 'A backup takes the new connections. {destination}: {why}',
  'check.health_kept':
    '0 of {total} destinations are up, and new connections are relayed as if all were. {destination}: {why}',
  'check.health_refused': '0 of {total} destinations are up, and new connections are refused. {destination}: {why}',
  'check.health_unresolved': '{hostname} does not resolve, so the rule is closed until it does',
  'check.name_missing': '{hostname} does not resolve ({error})',
  'check.name_other': '{hostname} has {other} addresses only, and this rule relays {family}',
  'check.name_unless_forced':
    '{why}. Let the rule listen on an {other} address. With force it is stored as it is, and gets no connection until that changes.',
  'check.health_closed': '{why}, so the rule is closed until that changes',
  'check.health_last_addresses': '{why}: its last addresses stay in use',
  'check.health_name_out': '{why}: it gets no connection until that changes',
} as const
