// How the parts of the panel are, and what this server can do.
export const COMPONENT = {
  'component.store': 'The store answers',
  'component.helper': 'The root helper answers and can make changes',
  'component.backup': 'The last encrypted backup went where it was to go',
  'component.netlink': 'The kernel answers over netlink',
  'component.kernel': 'The kernel can make every kind of tunnel',
  'component.kernel_missing': '{remedy} The kernel reports: {kinds}',
  'component.kernel_load':
    'Load the GRE driver as root: {command}. If there is no such module, install the standard kernel of the distribution. In a container, do so on the server that runs it.',
  'component.kernel_forbidden':
    'The panel is not allowed to make tunnels here. Give the container the capability NET_ADMIN, or run the panel on the server itself.',
  'component.kind': '{kind} ({detail})',
  'component.kind_unsupported': 'not supported',
  'component.monitor_silent': 'No probe was answered or given up for {seconds} s',
  'component.monitor_unstored': 'The history cannot be stored: {why}',
  'component.monitor_idle': 'No tunnel is probed; {watching} watching',
  'component.monitor': '{states}; {count} probed; {watching} watching',
  'component.monitor_state':
    '{state, select, Up {{count} up} Degraded {{count} degraded} Down {{count} down} Unknown {{count} unknown} other {{count} disabled}}',
  'component.sampling_not_begun': 'Sampling has not started',
  'component.sampling_starts': 'The first readings are on their way',
  'component.sampling_late': 'No reading for {seconds} s',
  'component.sampling': 'One reading every {seconds} s, {count} kept, {watching} watching',
  'component.part':
    '{part, select, cpu {The processor} memory {The memory} swap {The swap} load {The load} disks {The disks} network {The network} routes {Relay rules} other {The stored totals}}: {detail}',
  'component.disk_silent': '{mount_point} does not answer',
  'component.disk_unreadable': '{mount_point} cannot be read: {why}',
  'component.totals_unstored': 'The sums since the installation cannot be stored: {why}',
  'component.no_rules': 'No relay rule is enabled',
  'component.rules': 'The kernel holds the enabled relay rules: {count}',
  'component.rules_unreadable': "The kernel's rules cannot be read: {why}",
  'component.rules_differ':
    '{count} of {total} enabled relay rules differ in the kernel from what is stored: reapply all rules',
  'component.rules_stray':
    "The panel's table holds something that is not of the panel ({what}): reapply all rules to remove it",
  'component.rules_blocked':
    'Other software drops what {count, plural, one {# enabled relay rule relays} other {# enabled relay rules relay}}: {why}',
  'component.rules_not_forwarded':
    'IP forwarding ({family}) is off, so that no rule of that family relays: reapply all rules to turn it on',
  'component.certificate': 'The certificate for {subject} is good until {until}',
  'component.keeper_unknown': 'The root helper does not know {name}',
  'component.runtime': 'The tunnel lives in the kernel until the next boot',
} as const
