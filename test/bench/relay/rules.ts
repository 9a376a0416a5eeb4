// The rules that are compared: one to a port, all to the same server, the first and the last for TCP and UDP and the
// others for TCP.
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { exampleRule } from '../../support/example-rule.ts'

export const SERVER_PORT = 80
/** Bound ports go up from here, one for each rule. */
const FIRST_PORT = 10_000

export interface Between {
  /** Of the relay, as the client sees it. */
  readonly address: string
  /** Of the server, as the relay sees it. */
  readonly server: string
}

export const portOf = (number: number): number => FIRST_PORT + number - 1

const protocolOf = (number: number, count: number): RelayRule['protocol'] =>
  number === 1 || number === count ? 'both' : 'tcp'

/** As the panel makes a rule where the operator says no more than its ends. */
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

interface Line {
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
}

const linesOf = (count: number): Line[] =>
  Array.from({ length: count }, (_, at) => at + 1).flatMap((number) =>
    (protocolOf(number, count) === 'both' ? (['tcp', 'udp'] as const) : (['tcp'] as const)).map((protocol) => ({
      protocol,
      port: portOf(number),
    })),
  )

/** One rule as people write it, with nothing beside it: what NAT itself costs. */
export const byHand = ({ address, server }: Between): string =>
  nat(
    linesOf(1).map(
      ({ protocol, port }) => `ip daddr ${address} ${protocol} dport ${port} dnat to ${server}:${SERVER_PORT}`,
    ),
  )

/** One line after the other, and for what each rule moved two more that count it, there and back. */
export const linearNft = ({ address, server }: Between, count: number, isCounting: boolean): string => {
  const lines = linesOf(count)
  const text = nat(
    lines.map(({ protocol, port }) => `ip daddr ${address} ${protocol} dport ${port} dnat to ${server}:${SERVER_PORT}`),
  )
  const ways = lines.flatMap(({ protocol, port }) =>
    ['original', 'reply'].map(
      (way) => `meta l4proto ${protocol} ct original proto-dst ${port} ct direction ${way} counter accept`,
    ),
  )
  return isCounting ? `${text}${chain('forward', 'type filter hook forward priority 0; policy accept;', ways)}` : text
}

const nat = (lines: readonly string[]): string =>
  chain('prerouting', 'type nat hook prerouting priority -100; policy accept;', lines) +
  chain('postrouting', 'type nat hook postrouting priority 100; policy accept;', ['ct status dnat masquerade'])

const chain = (name: string, declaration: string, lines: readonly string[]): string =>
  ['table ip linear {', `chain ${name} {`, declaration, ...lines, '}', '}', ''].join('\n')

/** The same for iptables-restore. */
export function iptables({ address, server }: Between, count: number): string {
  const lines = linesOf(count)
  const dnat = lines.map(
    ({ protocol, port }) =>
      `-A PREROUTING -d ${address} -p ${protocol} --dport ${port} -j DNAT --to-destination ${server}:${SERVER_PORT}`,
  )
  const ways = lines.flatMap(({ protocol, port }) =>
    ['ORIGINAL', 'REPLY'].map(
      (way) => `-A FORWARD -p ${protocol} -m conntrack --ctorigdstport ${port} --ctdir ${way} -j ACCEPT`,
    ),
  )
  return [
    '*nat',
    ...dnat,
    '-A POSTROUTING -m conntrack --ctstate DNAT -j MASQUERADE',
    'COMMIT',
    '*filter',
    ...ways,
    'COMMIT',
    '',
  ].join('\n')
}
