// The facts of a tunnel that a check can compare: each field by its name on the wire, each value as a person would read it.
import type { LinkConfig, TunnelState } from '../model/tunnel.ts'
import { compareFacts, type Check, type Fact } from './check.ts'

/** Passes wholly on a host that holds `wanted` and on no other. Both states are canonical. */
export function checkTunnel(interface_name: string, wanted: TunnelState | null, found: TunnelState | null): Check[] {
  return compareFacts(interface_name, tunnelFacts(wanted), tunnelFacts(found))
}

export function tunnelFacts(state: TunnelState | null): Fact[] {
  const link = state?.link ?? null
  const saved = state?.saved ?? null
  return [
    { name: 'exists', value: link ? 'yes' : 'no' },
    ...(link ? [{ name: 'is_up', value: link.is_up ? 'yes' : 'no' }, ...configFacts('', link.config)] : []),
    { name: 'saved', value: saved ? saved.by : 'no' },
    ...(saved ? [{ name: 'saved.is_enabled', value: saved.is_enabled ? 'yes' : 'no' }, ...savedFacts(saved.config)] : []),
  ]
}

const savedFacts = (config: LinkConfig | null): Fact[] => (config ? configFacts('saved.', config) : [{ name: 'saved.file', value: 'no' }])

const configFacts = (prefix: string, config: LinkConfig): Fact[] =>
  Object.entries(config).map(([field, value]) => ({ name: prefix + field, value: textOf(value) }))

function textOf(value: LinkConfig[keyof LinkConfig]): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (!Array.isArray(value)) return String(value)
  return value.map((a) => `${a.address}${a.peer_address && ` peer ${a.peer_address}`}/${a.prefix_length}`).join(', ') || 'none'
}
