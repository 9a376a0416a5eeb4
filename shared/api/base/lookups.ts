// The numbers that stand for words on the wire (decisions.md, section 2).
import type { LinkKind } from '../../tunnel/model.ts'

export const TUNNEL_TYPES = { GRE: 10, GRETAP: 20, IP6GRE: 30, IP6GRETAP: 40 } as const
export const TUNNEL_SIDES = { A: 10, B: 20 } as const
export const PERSISTENCE_TYPES = { Systemd: 10, Networkd: 20, Runtime: 30 } as const
export const APPLY_STATUSES = { Pending: 10, Applied: 20, Failed: 30, Inconsistent: 40 } as const
export const ADDRESS_FAMILIES = { IPv4: 10, IPv6: 20 } as const
export const ROUTE_PROTOCOLS = { TCP: 10, UDP: 20, Both: 30 } as const
export const NAT_MODES = { Masquerade: 10, Snat: 20, None: 30 } as const
export const LOAD_BALANCE_MODES = { None: 10, RoundRobin: 20, SourceHash: 30, Weighted: 40 } as const

const KIND_OF_TYPE: Readonly<Record<number, LinkKind>> = { 10: 'gre', 20: 'gretap', 30: 'ip6gre', 40: 'ip6gretap' }

/** Throws on a number that is no tunnel type; requests are checked against the list before they get here. */
export function kindOfType(tunnel_type_id: number): LinkKind {
  const kind = KIND_OF_TYPE[tunnel_type_id]
  if (!kind) throw new RangeError(`tunnel type ${tunnel_type_id}`)
  return kind
}

/** The inverse. */
export function typeOfKind(kind: LinkKind): number {
  const known = Object.entries(KIND_OF_TYPE).find(([, other]) => other === kind)
  return Number(known?.[0])
}

/** The word of a number, as the wire shows it beside the number. */
export function titleOf<T extends string>(lookup: Readonly<Record<T, number>>, id: number): T {
  const title = (Object.keys(lookup) as T[]).find((name) => lookup[name] === id)
  if (title === undefined) throw new RangeError(`lookup id ${id}`)
  return title
}
export const RECONCILE_STATUSES = { InSync: 10, Drifted: 20, Missing: 30, Unmanaged: 40, Inconsistent: 50 } as const
export type ReconcileStatus = keyof typeof RECONCILE_STATUSES
export const MONITOR_STATES = { Unknown: 10, Up: 20, Degraded: 30, Down: 40, Disabled: 50 } as const
export type MonitorState = keyof typeof MONITOR_STATES
