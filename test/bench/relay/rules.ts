// The rules that are compared: one to a port, all to the same server, the first and the last for TCP and UDP and the
// others for TCP.
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { exampleRule } from '../../support/example-rule.ts'

export const SERVER_PORT = 80
/** Bound ports go up from here, one for each rule. */
const FIRST_PORT = 10_000

export interface Between {
  /** The relay's address at the client. */
  readonly address: string
  /** The server's address at the relay. */
  readonly server: string
}

export const portOf = (number: number): number => FIRST_PORT + number - 1

const protocolOf = (number: number, count: number): RelayRule['protocol'] =>
  number === 1 || number === count ? 'both' : 'tcp'

/** The rules that the panel makes if the operator gives no more than their ends. */
export const rulesOf = ({ address, server }: Between, count: number, is_clamp_mss_to_pmtu = true): RelayRule[] =>
  Array.from({ length: count }, (_, at) => at + 1).map((number) =>
    exampleRule({
      ...{ route_rule_id: number, sort_order: number * 10, protocol: protocolOf(number, count), is_clamp_mss_to_pmtu },
      ...{
        bind_address: address,
        bind_port: portOf(number),
        destinations: [{ address: server, port: SERVER_PORT, port_range_end: null, weight: 1, ...IN_ROTATION }],
      },
    }),
  )

/** One rule as people write it, with nothing beside it: what NAT itself costs. */
export const byHand = ({ address, server }: Between): string => `table ip by_hand {
  chain prerouting {
    type nat hook prerouting priority -100; policy accept;
    ip daddr ${address} tcp dport ${portOf(1)} dnat to ${server}:${SERVER_PORT}
    ip daddr ${address} udp dport ${portOf(1)} dnat to ${server}:${SERVER_PORT}
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    ct status dnat masquerade
  }
}
`
