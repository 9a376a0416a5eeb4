// What a setting must be, and what settings must be to each other.
export const SETTING = {
  'setting.unknown': 'There is no setting {name}.',
  'setting.flag': 'Must be true or false.',
  'setting.whole': 'Must be a whole number from {min} to {max}.',
  'setting.number': 'Must be a number from {min} to {max}.',
  'setting.choice': 'Must be one of {options}.',
  'setting.options': 'Must be {options}.',
  'setting.server_name': 'Must be at most 40 characters, with no blank at either end.',
  'setting.traffic_class': 'Must be "inherit", "0" to "255", or "0x00" to "0xff".',
  'setting.template': 'Must be text of letters, digits, "_", "." and "-" with the placeholders {placeholders}.',
  'setting.origins':
    'Must be a list of at most 32 different origins such as "https://panel.example.net:8443", in lower case, without a path and never "*".',
  'setting.dns_servers':
    'Must be a list of at most 4 different addresses, each with a port where it is not 53, such as "192.0.2.53" or "[2001:db8::53]:5353".',
  'setting.interfaces': 'Must be a list of different names of interfaces.',
  'setting.side_labels': 'Must be an object with "a" and "b", each 1 to 8 letters, digits, "_", "." or "-".',
  'setting.not_below': '{why}: {field} ({value}) must not be below {other_field} ({least}).',
  'setting.why_loss': 'What is down is degraded too',
  'setting.why_count': 'The default is within what may be asked for',
  'setting.why_probe': 'A probe goes from the smallest to the largest packet',
  'setting.why_disk': 'A warning comes before it is critical',
  'setting.template_number':
    'The naming template must hold {placeholder}: otherwise every tunnel would have the same name.',
  'setting.labels_differ': 'The two side labels must differ.',
  'setting.template_makes': 'The naming template makes {name}, which {reason}.',
  'setting.template_unfit':
    'The naming template makes {name}, which is no name for an interface: 1 to 15 letters, digits, "_", "." and "-", beginning with a letter or digit.',
  'setting.sessions': 'A session must not last longer than it can be renewed: lower {field} or raise {other_field}.',
  // What this host cannot carry out, and what to do.
  'setting.host_kind': '{why} Choose another type, or a new tunnel that names none is refused.',
  'setting.host_keeper': '{why} A new tunnel is gone after a reboot: choose what this server has.',
  'setting.host_keepalive': '{why} New tunnels get no unit for their keepalive: leave it to the probes of the monitor.',
  'setting.host_fast_path': '{why}. All rules stay on the slow path, which relays the same: turn it off.',
  'setting.host_protection': '{why}. Have what another program removes put back: see {field}.',
  'setting.host_rules': '{why}. Until then there are no relay rules to put back.',
  'setting.host_forwarding': '{why}. Until then a rule that needs IP forwarding relays nothing.',
  'setting.host_probes': '{why}. No tunnel is measured: look at the root helper in its journal.',
} as const
