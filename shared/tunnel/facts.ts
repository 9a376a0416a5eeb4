// The facts of a tunnel that a check can compare: each field by its name on the wire, each value as a person would read
// it.
import {
  FILE_KINDS,
  isMulticast,
  type FileKind,
  type Keepalive,
  type LinkConfig,
  type LinkState,
  type NetdevConfig,
  type NetworkConfig,
  type Saved,
  type TunnelState,
} from './model.ts'
import { formatRoute } from './routes.ts'
import { compareFacts, type Check, type Fact } from '../change/check.ts'

/** Passes wholly on a host that holds `wanted` and on no other. Both states are canonical. */
export function checkTunnel(interface_name: string, wanted: TunnelState | null, found: TunnelState | null): Check[] {
  return compareFacts(interface_name, tunnelFacts(wanted), tunnelFacts(found))
}

export function tunnelFacts(state: TunnelState | null): Fact[] {
  const link = state?.link ?? null
  const saved = state?.saved ?? null
  return [
    { name: 'exists', value: link ? 'yes' : 'no' },
    ...(link ? linkFacts(link) : []),
    ...savedFacts(saved),
    ...(state?.answers ? [{ name: 'is_answered_through', value: state.answers.is_whole ? 'yes' : 'in part' }] : []),
  ]
}

const linkFacts = ({ is_up, config, routes }: LinkState): Fact[] => [
  { name: 'is_up', value: is_up ? 'yes' : 'no' },
  ...configFacts('', { ...config, is_multicast: isMulticast(config) }),
  ...(routes ? [{ name: 'routes', value: routes.map(formatRoute).join(', ') || 'none' }] : []),
]

function savedFacts(saved: Saved | null): Fact[] {
  const kinds = FILE_KINDS.filter((kind) => saved?.[kind])
  return [
    { name: 'saved', value: kinds.join(', ') || 'no' },
    ...kinds.flatMap((kind) => (saved ? fileFacts(saved, kind) : [])),
  ]
}

function fileFacts(saved: Saved, kind: FileKind): Fact[] {
  const { is_enabled = false, config = null } = saved[kind] ?? {}
  const isStopped = kind === 'systemd_keepalive_unit' && saved[kind]?.is_stopped
  const enabled = { name: `${kind}.is_enabled`, value: is_enabled ? (isStopped ? 'yes, but stopped' : 'yes') : 'no' }
  if (!config) return [enabled, { name: `${kind}.file`, value: 'no' }]
  return [enabled, ...configFacts(`${kind}.`, config)]
}

const configFacts = (prefix: string, config: LinkConfig | NetdevConfig | NetworkConfig | Keepalive): Fact[] =>
  Object.entries(config).map(([field, value]) => ({ name: prefix + field, value: formatValue(value) }))

function formatValue(value: LinkConfig[keyof LinkConfig] | Keepalive[keyof Keepalive]): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (!Array.isArray(value)) return String(value)
  return (
    value.map((a) => `${a.address}${a.peer_address && ` peer ${a.peer_address}`}/${a.prefix_length}`).join(', ') ||
    'none'
  )
}
