// Sums up an interface's bytes since the panel was installed, over reboots, restarts of the panel and new interfaces of an old name.

/** What was last seen of an interface of that name, and its bytes since the panel was installed. */
export interface TrafficTotal {
  readonly boot_id: string
  /** 0 where the kernel did not say. */
  readonly interface_index: number
  readonly rx_bytes_seen: number
  readonly tx_bytes_seen: number
  readonly rx_bytes_since_install: number
  readonly tx_bytes_since_install: number
  readonly seen_date: string
}

export type CounterReading = Omit<TrafficTotal, 'rx_bytes_since_install' | 'tx_bytes_since_install'>

/** Nothing of what had passed before the panel was there counts. */
export const firstTotal = (reading: CounterReading): TrafficTotal => ({
  ...reading,
  rx_bytes_since_install: 0,
  tx_bytes_since_install: 0,
})

/**
 * `before`: undefined where no interface of that name was ever seen, so all that this one counts is since the installation.
 * `isIndexTold`: whether another index means another interface.
 */
export const nextTotal = (
  before: TrafficTotal | undefined,
  reading: CounterReading,
  isIndexKnown = true,
): TrafficTotal => {
  const isSame = before !== undefined && isSameCounter(before, reading, isIndexKnown)
  const { boot_id, interface_index, rx_bytes_seen, tx_bytes_seen, seen_date } = reading
  const rx_bytes_since_install =
    (before?.rx_bytes_since_install ?? 0) + rx_bytes_seen - (isSame ? before.rx_bytes_seen : 0)
  const tx_bytes_since_install =
    (before?.tx_bytes_since_install ?? 0) + tx_bytes_seen - (isSame ? before.tx_bytes_seen : 0)
  return {
    boot_id,
    interface_index,
    rx_bytes_seen,
    tx_bytes_seen,
    rx_bytes_since_install,
    tx_bytes_since_install,
    seen_date,
  }
}

/** A counter that went back was started anew, with its interface or the host, and has counted from zero since. */
const isSameCounter = (before: TrafficTotal, reading: CounterReading, isIndexKnown: boolean): boolean =>
  before.boot_id === reading.boot_id &&
  (before.interface_index === reading.interface_index ||
    !isIndexKnown ||
    before.interface_index === 0 ||
    reading.interface_index === 0) &&
  before.rx_bytes_seen <= reading.rx_bytes_seen &&
  before.tx_bytes_seen <= reading.tx_bytes_seen
