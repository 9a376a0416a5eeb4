// The traffic of a rule in both directions: `tx` towards the destination, `rx` back from it (decisions.md, F25).
export interface TrafficDelta {
  readonly rx_bytes: number
  readonly tx_bytes: number
  readonly rx_packets: number
  readonly tx_packets: number
}

export const NOTHING: TrafficDelta = { rx_bytes: 0, tx_bytes: 0, rx_packets: 0, tx_packets: 0 }

const each = (of: (field: keyof TrafficDelta) => number): TrafficDelta => ({
  rx_bytes: of('rx_bytes'),
  tx_bytes: of('tx_bytes'),
  rx_packets: of('rx_packets'),
  tx_packets: of('tx_packets'),
})

export function plus(a: TrafficDelta, b: TrafficDelta): TrafficDelta {
  return each((field) => a[field] + b[field])
}
export function minus(a: TrafficDelta, b: TrafficDelta): TrafficDelta {
  return each((field) => a[field] - b[field])
}
export function most(a: TrafficDelta, b: TrafficDelta): TrafficDelta {
  return each((field) => Math.max(a[field], b[field]))
}
export const atLeastNothing = (a: TrafficDelta): TrafficDelta => most(a, NOTHING)

export function perSecond(delta: TrafficDelta, seconds: number): TrafficDelta {
  return each((field) => delta[field] / seconds)
}
export function deltaOnly(delta: TrafficDelta): TrafficDelta {
  return each((field) => delta[field])
}

/** A counter that went backwards was recreated. */
export function isBelow(a: TrafficDelta, b: TrafficDelta): boolean {
  return (
    a.rx_bytes < b.rx_bytes || a.tx_bytes < b.tx_bytes || a.rx_packets < b.rx_packets || a.tx_packets < b.tx_packets
  )
}
export function isNothing({ rx_packets, tx_packets }: TrafficDelta): boolean {
  return rx_packets === 0 && tx_packets === 0
}
