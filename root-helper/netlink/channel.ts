// A netlink socket with the options that this code counts on.
import * as k from './constants.ts'
import { transportError } from './errors.ts'
import type { Channel, Native } from '../native/index.ts'

/** The part of the addon that moves netlink's bytes; tests put their own in its place. */
export type Transport = Pick<Native, 'open' | 'option' | 'receiveBuffer' | 'send' | 'receive' | 'watch' | 'close'>

const RECEIVE_BUFFER_BYTES = 8 * 1024 * 1024

/**
 * Strict checking makes the kernel refuse what it would else ignore, and filter address dumps by link. Throws a
 * KernelError, such as EPROTONOSUPPORT of a kernel that lacks the protocol.
 */
export function openChannel(transport: Transport, protocol: number = k.NETLINK_ROUTE): Channel {
  const channel = opened(transport, protocol)
  transport.receiveBuffer(channel, RECEIVE_BUFFER_BYTES)
  for (const option of [k.NETLINK_EXT_ACK, k.NETLINK_CAP_ACK, k.NETLINK_GET_STRICT_CHK])
    transport.option(channel, k.SOL_NETLINK, option, 1)
  return channel
}

function opened(transport: Transport, protocol: number): Channel {
  try {
    return transport.open(protocol)
  } catch (error) {
    throw transportError('netlink', error)
  }
}
