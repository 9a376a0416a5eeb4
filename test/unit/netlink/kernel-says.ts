// Messages as the kernel would send them, put together for the tests.
import { isMulticast, type LinkConfig } from '@panel/shared/tunnel/model.ts'
import { nest, text, u32, u8 } from '@panel/root-helper/netlink/attributes.ts'
import * as k from '@panel/root-helper/netlink/constants.ts'
import { encodeGre } from '@panel/root-helper/netlink/gre.ts'
import { encodeMessage, type Message } from '@panel/root-helper/netlink/message.ts'

export const plainGre: LinkConfig = {
  kind: 'gre',
  local_endpoint: '192.0.2.1',
  remote_endpoint: '198.51.100.2',
  bind_device: null,
  ikey: null,
  okey: null,
  has_input_checksum: false,
  has_output_checksum: false,
  has_input_sequence: false,
  has_output_sequence: false,
  ttl: 0,
  tos: '0x00',
  is_path_mtu_discovery: true,
  is_ignore_df: false,
  encap_limit: null,
  flow_label: 0,
  fwmark: null,
  mtu: 1476,
  tx_queue_length: 1000,
  addresses: [],
}

export const plainIp6gre: LinkConfig = {
  ...plainGre,
  kind: 'ip6gre',
  local_endpoint: '2001:db8::1',
  remote_endpoint: '2001:db8::2',
  is_path_mtu_discovery: false,
  encap_limit: 4,
}

export interface LinkParts {
  name?: string
  index?: number
  kind?: string
  flags?: number
  /** Attributes beside the usual ones, of the link and of its kind. */
  more?: Buffer[]
  moreData?: Buffer[]
}

const flagsOf = (config: LinkConfig): number => 0x10 | k.IFF_NOARP | (isMulticast(config) ? k.IFF_MULTICAST : 0)

/** RTM_NEWLINK for a link of this configuration; lo has index 1. */
export function linkMessage(
  config: LinkConfig,
  { name = 'gre-1', index = 7, kind = config.kind, flags = flagsOf(config), more = [], moreData = [] }: LinkParts = {},
): Message {
  const header = Buffer.alloc(k.IFINFOMSG_LENGTH)
  header.writeInt32LE(index, 4)
  header.writeUInt32LE(flags, 8)
  const data = [...encodeGre({ ...config, bindIndex: config.bind_device === null ? 0 : 1 }), ...moreData]
  const info = nest(k.IFLA_LINKINFO, text(k.IFLA_INFO_KIND, kind), nest(k.IFLA_INFO_DATA, ...data))
  const plain = [
    text(k.IFLA_IFNAME, name),
    u32(k.IFLA_MTU, config.mtu),
    u32(k.IFLA_TXQLEN, config.tx_queue_length),
    u8(k.IFLA_OPERSTATE, 2),
  ]
  return { type: k.RTM_NEWLINK, flags: 0, sequence: 1, port: 0, body: Buffer.concat([header, ...plain, info, ...more]) }
}

/** A datagram with the given messages in it. */
export const datagram = (...messages: readonly Message[]): Buffer =>
  Buffer.concat(messages.map(({ type, flags, sequence, body }) => encodeMessage(type, flags, sequence, [body])))

/** NLMSG_ERROR as the kernel sends it with NETLINK_CAP_ACK and NETLINK_EXT_ACK on. */
export function acknowledgement(sequence: number, errno: number, words = ''): Message {
  const body = Buffer.alloc(4 + k.NLMSG_HDRLEN)
  body.writeInt32LE(-errno, 0)
  body.writeUInt32LE(1000, 4) // the capped request was longer than what is echoed
  const attributes = words === '' ? [] : [text(k.NLMSGERR_ATTR_MSG, words)]
  return {
    type: k.NLMSG_ERROR,
    flags: k.NLM_F_CAPPED | (words === '' ? 0 : k.NLM_F_ACK_TLVS),
    sequence,
    port: 0,
    body: Buffer.concat([body, ...attributes]),
  }
}

export const done = (sequence: number, flags = k.NLM_F_MULTI): Message => ({
  type: k.NLMSG_DONE,
  flags,
  sequence,
  port: 0,
  body: Buffer.alloc(4),
})
