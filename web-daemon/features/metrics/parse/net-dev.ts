// Reads the counters of all interfaces from /proc/net/dev (proc_pid_net(5)).
import type { InterfaceCounters } from '@panel/shared/api/metrics.ts'

/**
 * The counters by name, in the kernel's order. Counters have 64 bits; above 2^53 (nine petabytes) a JSON number loses
 * the last digits, which nothing depends on.
 */
export function parseNetDev(text: string): Map<string, InterfaceCounters> {
  const [first = '', , ...lines] = text.split('\n')
  if (!first.startsWith('Inter-|')) throw new Error('/proc/net/dev is not what it was: its heading has changed')
  const found = new Map<string, InterfaceCounters>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 0) continue
    const [
      rx_bytes = 0,
      rx_packets = 0,
      rx_errors = 0,
      rx_dropped = 0,
      ,
      ,
      ,
      ,
      tx_bytes = 0,
      tx_packets = 0,
      tx_errors = 0,
      tx_dropped = 0,
    ] = line
      .slice(colon + 1)
      .trim()
      .split(/ +/)
      .map(Number)
    found.set(line.slice(0, colon).trim(), {
      rx_bytes,
      rx_packets,
      rx_errors,
      rx_dropped,
      tx_bytes,
      tx_packets,
      tx_errors,
      tx_dropped,
    })
  }
  return found
}
