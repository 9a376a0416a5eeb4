// Interfaces of the fake host that are no tunnels of ours.
import type { HostInterface, LinkStatistics } from '@panel/shared/tunnel/observed.ts'

export const NO_STATISTICS: LinkStatistics = {
  rx_bytes: 0,
  tx_bytes: 0,
  rx_packets: 0,
  tx_packets: 0,
  rx_errors: 0,
  tx_errors: 0,
  rx_dropped: 0,
  tx_dropped: 0,
}

export function fakeInterface(
  name: string,
  index: number,
  kind: HostInterface['class'],
  addresses: string[],
): HostInterface {
  return {
    name,
    index,
    mtu: kind === 'loopback' ? 65536 : 1500,
    kind: '',
    hardware_addr: '',
    oper_state: 'UP',
    flags: ['UP'],
    is_up: true,
    is_lower_up: true,
    addresses,
    statistics: NO_STATISTICS,
    class: kind,
    bridge: '',
    forwards_ipv4: true,
    rp_filter: 0,
  }
}
