// Sums up an interface's bytes since the panel was installed, across reboots, restarts of the panel and recreated
// interfaces.

/** The last reading of an interface name, and its bytes since the panel was installed. */
export interface TrafficTotal {
  readonly boot_id: string
  /** 0 if not known. */
  readonly interface_index: number
  readonly rx_bytes_seen: number
  readonly tx_bytes_seen: number
  readonly rx_bytes_since_install: number
  readonly tx_bytes_since_install: number
  readonly seen_date: string
}

export type CounterReading = Omit<TrafficTotal, 'rx_bytes_since_install' | 'tx_bytes_since_install'>

/** Traffic before the installation does not count. */
export function firstTotal(reading: CounterReading): TrafficTotal {
  return {
    ...reading,
    rx_bytes_since_install: 0,
    tx_bytes_since_install: 0,
  }
}

/**
 * `before`: undefined if the name is new, so that all its bytes are since the installation. `isIndexKnown`: whether a
 * different index means a different interface.
 */
export function nextTotal(
  before: TrafficTotal | undefined,
  reading: CounterReading,
  isIndexKnown = true,
): TrafficTotal {
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

/** A counter that went backwards started from zero with its interface or the host. */
const isSameCounter = (before: TrafficTotal, reading: CounterReading, isIndexKnown: boolean): boolean =>
  before.boot_id === reading.boot_id &&
  (before.interface_index === reading.interface_index ||
    !isIndexKnown ||
    before.interface_index === 0 ||
    reading.interface_index === 0) &&
  before.rx_bytes_seen <= reading.rx_bytes_seen &&
  before.tx_bytes_seen <= reading.tx_bytes_seen
