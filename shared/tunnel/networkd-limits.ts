// What systemd-networkd has no words for, so that a tunnel is refused rather than kept with something missing. Read
// from systemd.netdev(5)
// and from what version 257 makes of its files, which test/vm/persistence.test.ts looks at.
import { message, type Message } from '../messages/message.ts'
import { isIpv6Kind, type NetdevConfig } from './model.ts'

export interface Limit {
  readonly field: keyof NetdevConfig | 'interface_name'
  readonly why: Message
}

/** The queue that the kernel gives a link (DEFAULT_TX_QUEUE_LEN, net/core/dev.h). */
const QUEUE_OF_THE_KERNEL = 1000

type Rule = readonly [field: Limit['field'], isBeyond: (config: NetdevConfig) => boolean, why: Message]

const RULES: readonly Rule[] = [
  ['bind_device', (c) => c.bind_device !== null, message('tunnel.limit_bind_device')],
  ['ikey', (c) => c.ikey === 0, message('tunnel.limit_key_zero')],
  ['okey', (c) => c.okey === 0, message('tunnel.limit_key_zero')],
  ['has_input_checksum', (c) => c.has_input_checksum, message('tunnel.limit_checksums')],
  ['has_output_checksum', (c) => c.has_output_checksum, message('tunnel.limit_checksums')],
  ['has_input_sequence', (c) => isIpv6Kind(c.kind) && c.has_input_sequence, message('tunnel.limit_sequence_ipv4')],
  ['has_output_sequence', (c) => isIpv6Kind(c.kind) && c.has_output_sequence, message('tunnel.limit_sequence_ipv4')],
  [
    'has_output_sequence',
    (c) => !isIpv6Kind(c.kind) && c.has_input_sequence !== c.has_output_sequence,
    message('tunnel.limit_sequence_both'),
  ],
  ['tos', (c) => isIpv6Kind(c.kind) && c.tos !== '0x00', message('tunnel.limit_tos')],
  ['encap_limit', (c) => c.encap_limit !== null && c.encap_limit !== 0, message('tunnel.limit_encap')],
  ['fwmark', (c) => c.fwmark !== null, message('tunnel.limit_fwmark')],
  [
    'tx_queue_length',
    (c) => c.tx_queue_length !== QUEUE_OF_THE_KERNEL,
    message('tunnel.limit_queue', { length: QUEUE_OF_THE_KERNEL }),
  ],
]

/** Names that networkd takes for numbers or for its own words (ifname_valid in systemd). */
const NO_NAME = /^([0-9]+|all|default)$/

/** Empty where networkd makes at boot exactly what the canonical `config` says. */
export function networkdLimits(interface_name: string, config: NetdevConfig): Limit[] {
  const name: Limit[] = NO_NAME.test(interface_name)
    ? [{ field: 'interface_name', why: message('tunnel.limit_name') }]
    : []
  return [...name, ...RULES.filter(([, isBeyond]) => isBeyond(config)).map(([field, , why]) => ({ field, why }))]
}
