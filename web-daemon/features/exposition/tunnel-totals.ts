// The bytes of each tunnel under its id. The sampler sums up by the name of the interface, and a tunnel can be given
// another name, or be without an interface for a while: its own counters never go back for that.

export interface InterfaceTotals {
  readonly name: string
  readonly rx_bytes_since_install: number
  readonly tx_bytes_since_install: number
}

export interface Bytes {
  readonly received: number
  readonly transmitted: number
}

interface Followed {
  readonly total: Bytes
  /** The bytes of the interface at the last look. */
  readonly observed: Bytes
  readonly interface_name: string
}

export class TunnelTotals {
  #followed = new Map<number, Followed>()

  /** In the order of the tunnels; one whose interface was never seen is left out. */
  update(
    tunnels: readonly { readonly tunnel_id: number; readonly interface_name: string }[],
    interfaces: readonly InterfaceTotals[],
  ): Map<number, Bytes> {
    const byName = new Map(interfaces.map((one) => [one.name, one]))
    const followed = new Map<number, Followed>()
    for (const { tunnel_id, interface_name } of tunnels) {
      const next = nextOf(this.#followed.get(tunnel_id), interface_name, byName.get(interface_name))
      if (next) followed.set(tunnel_id, next)
    }
    this.#followed = followed
    return new Map([...followed].map(([tunnel_id, { total }]) => [tunnel_id, total]))
  }
}

function nextOf(
  before: Followed | undefined,
  interface_name: string,
  found: InterfaceTotals | undefined,
): Followed | null {
  if (!found) return before ?? null
  const observed = { received: found.rx_bytes_since_install, transmitted: found.tx_bytes_since_install }
  if (!before) return { total: observed, observed, interface_name }
  const since = before.interface_name === interface_name ? increase(before.observed, observed) : NOTHING
  return { total: plus(before.total, since), observed, interface_name }
}

const NOTHING: Bytes = { received: 0, transmitted: 0 }

const increase = (from: Bytes, to: Bytes): Bytes => ({
  received: Math.max(0, to.received - from.received),
  transmitted: Math.max(0, to.transmitted - from.transmitted),
})

const plus = (a: Bytes, b: Bytes): Bytes => ({
  received: a.received + b.received,
  transmitted: a.transmitted + b.transmitted,
})
