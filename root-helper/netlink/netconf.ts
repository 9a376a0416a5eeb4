// RTM_*NETCONF: the settings of interfaces that the kernel reports over rtnetlink (linux/netconf.h).
import { Attributes, DecodeError } from './attributes.ts'
import * as k from './constants.ts'
import type { Message } from './message.ts'
import type { Request } from './socket.ts'

export interface RawNetconf {
  /** Negative for what holds for all interfaces, and for those that are still to come. */
  index: number
  isForwarding: boolean
  /** 0: off, 1: strict, 2: loose. */
  rpFilter: number
}

export function decodeNetconf({ type, body }: Message): RawNetconf {
  if (type !== k.RTM_NEWNETCONF)
    throw new DecodeError(`message type ${type} where the settings of an interface are due`)
  const a = new Attributes(body, k.NETCONFMSG_LENGTH)
  return {
    index: (a.u32(k.NETCONFA_IFINDEX) ?? 0) | 0,
    isForwarding: (a.u32(k.NETCONFA_FORWARDING) ?? 0) !== 0,
    rpFilter: a.u32(k.NETCONFA_RP_FILTER) ?? 0,
  }
}

/** IPv4 only: whether a packet of IPv6 is forwarded is one setting of the whole host. */
export const dumpNetconf: Request = {
  what: 'read the settings of interfaces',
  type: k.RTM_GETNETCONF,
  parts: [Buffer.from([k.AF_INET, 0, 0, 0])],
}
