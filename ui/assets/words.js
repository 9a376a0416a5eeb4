// What the API says, in words for people: each answer is a state (its shape and colour), a word and a detail.
const TYPES = { 10: 'GRE', 20: 'GRETAP', 30: 'IP6GRE', 40: 'IP6GRETAP' }
export const typeOf = ({ tunnel_type_id }) => TYPES[tunnel_type_id] ?? `type ${tunnel_type_id}`

const STATUSES = { ok: ['up', 'working'], degraded: ['degraded', 'working in part'], error: ['down', 'not working'] }
const COMPONENTS = { database: 'Database', helper: 'Root helper', kernel_module: 'Kernel tunnel support', netlink: 'Kernel interface (netlink)', monitor: 'Monitoring', metrics: 'Metrics' }

export const componentWords = ({ name, status, detail = '' }) => {
  const [state, word] = STATUSES[status] ?? ['unknown', 'not known']
  return { name: COMPONENTS[name] ?? name.replaceAll('_', ' '), state, word, detail }
}

/** Names what is wrong, so that nobody has to look for it. */
export const overallWords = ({ setup_required, status, components }) => {
  if (setup_required) return { state: 'degraded', word: 'Setup is needed: the panel has no operator account yet' }
  if (status === 'ok') return { state: 'up', word: 'The panel is ready' }
  const [state, word] = STATUSES[status] ?? ['unknown', 'not known']
  const concerned = components.filter((component) => component.status === status).map((component) => componentWords(component).name)
  return { state, word: `${word[0].toUpperCase()}${word.slice(1)}: ${concerned.join(', ')}` }
}

const facts = (mtu, addresses) => [`MTU ${mtu}`, ...addresses]

export const configuredWords = ({ is_enabled, mtu, addresses, apply_status, last_apply_error }) => ({
  word: is_enabled ? 'Enabled' : 'Disabled',
  facts: facts(mtu, addresses.map(({ address, prefix_length }) => `${address}/${prefix_length}`)),
  trouble: apply_status === 'Applied' ? '' : [apply_status, last_apply_error].filter(Boolean).join(': '),
})

/** Only what was read back from the kernel; nothing here looks at what is stored but whether the tunnel is meant to be up. */
export const hostWords = ({ is_enabled, observed }) => {
  const { is_known, exists, is_up, oper_state, mtu, addresses } = observed
  if (!is_known) return { state: 'unknown', word: 'not known', facts: [] }
  if (!exists) return { state: 'down', word: 'missing', facts: ['The kernel has no such interface'] }
  const seen = facts(mtu, addresses)
  if (!is_up) return { state: is_enabled ? 'down' : 'disabled', word: 'down', facts: seen }
  if (oper_state === 'UNKNOWN') return { state: 'up', word: 'up (GRE reports no carrier)', facts: seen }
  return oper_state === 'UP' ? { state: 'up', word: 'up', facts: seen } : { state: 'degraded', word: `up, but its link is ${oper_state}`, facts: seen }
}

const PERSISTENCE = { Systemd: 'Tunnels kept by systemd', Networkd: 'Tunnels kept by systemd-networkd', Runtime: 'Tunnels until the next boot' }

const able = (name, isAble, detail) => ({ name, state: isAble ? 'up' : 'disabled', word: isAble ? 'yes' : 'no', detail })

export const abilities = ({ tunnel_types, persistence, rule_backend, kernel }) => [
  ...tunnel_types.map(({ title, supported, note }) => able(`${title} tunnels`, supported, supported ? '' : `The kernel says: ${note || 'not supported'}`)),
  ...persistence.map(({ title, available, note }) => able(PERSISTENCE[title] ?? title, available, note)),
  able('Relay rules with nftables', rule_backend.available, rule_backend.available ? rule_backend.version : rule_backend.detail || rule_backend.reason),
  { name: 'Kernel', word: kernel.release },
]
