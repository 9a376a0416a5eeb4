// What systemd-networkd has no words for, so that a tunnel is refused rather than kept with something missing. Read
// from systemd.netdev(5)
// and from what version 257 makes of its files, which test/vm/persistence.test.ts looks at.
import { isIpv6Kind, type NetdevConfig } from './model.ts'

export interface Limit {
  readonly field: keyof NetdevConfig | 'interface_name'
  readonly why: string
}

/** The queue that the kernel gives a link (DEFAULT_TX_QUEUE_LEN, net/core/dev.h). */
const QUEUE_OF_THE_KERNEL = 1000

type Rule = readonly [field: Limit['field'], isBeyond: (config: NetdevConfig) => boolean, why: string]

const RULES: readonly Rule[] = [
  ['bind_device', (c) => c.bind_device !== null, 'it binds a tunnel only to a device whose own files it has'],
  ['ikey', (c) => c.ikey === 0, 'it takes the key 0 for none'],
  ['okey', (c) => c.okey === 0, 'it takes the key 0 for none'],
  ['has_input_checksum', (c) => c.has_input_checksum, 'it knows no checksums'],
  ['has_output_checksum', (c) => c.has_output_checksum, 'it knows no checksums'],
  ['has_input_sequence', (c) => isIpv6Kind(c.kind) && c.has_input_sequence, 'it numbers packets of IPv4 tunnels only'],
  [
    'has_output_sequence',
    (c) => isIpv6Kind(c.kind) && c.has_output_sequence,
    'it numbers packets of IPv4 tunnels only',
  ],
  [
    'has_output_sequence',
    (c) => !isIpv6Kind(c.kind) && c.has_input_sequence !== c.has_output_sequence,
    'it numbers packets both ways or not at all',
  ],
  [
    'tos',
    (c) => isIpv6Kind(c.kind) && c.tos !== '0x00',
    'it sets no traffic class of IPv6 tunnels, which is 0x00 then',
  ],
  [
    'encap_limit',
    (c) => c.encap_limit !== null && c.encap_limit !== 0,
    'it can leave the limit out, and has it 0 otherwise',
  ],
  ['fwmark', (c) => c.fwmark !== null, 'it gives GRE no mark'],
  [
    'tx_queue_length',
    (c) => c.tx_queue_length !== QUEUE_OF_THE_KERNEL,
    `it leaves the queue at the kernel's ${QUEUE_OF_THE_KERNEL}`,
  ],
]

/** Names that networkd takes for numbers or for its own words (ifname_valid in systemd). */
const NO_NAME = /^([0-9]+|all|default)$/

/** Empty where networkd makes at boot exactly what the canonical `config` says. */
export function networkdLimits(interface_name: string, config: NetdevConfig): Limit[] {
  const name: Limit[] = NO_NAME.test(interface_name)
    ? [{ field: 'interface_name', why: 'it takes no such name for a link' }]
    : []
  return [...name, ...RULES.filter(([, isBeyond]) => isBeyond(config)).map(([field, , why]) => ({ field, why }))]
}
