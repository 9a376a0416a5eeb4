// The kernel's own list of listening TCP sockets, each with the control group of its opener (linux/sock_diag.h,
// linux/inet_diag.h).
import { Attributes, DecodeError } from './attributes.ts'
import type { Message } from './message.ts'
import type { Request } from './socket.ts'

export const NETLINK_SOCK_DIAG = 4
const SOCK_DIAG_BY_FAMILY = 20
const REQUEST_BYTES = 56
const ANSWER_BYTES = 72
const IPPROTO_TCP = 6
/** TCP_LISTEN of include/net/tcp_states.h, as a bit. */
const LISTENING = 1 << 10
const INET_DIAG_CGROUP_ID = 21

export function dumpListening(family: number): Request {
  const request = Buffer.alloc(REQUEST_BYTES)
  request.writeUInt8(family, 0)
  request.writeUInt8(IPPROTO_TCP, 1)
  request.writeUInt32LE(LISTENING, 4)
  return { what: 'list listening sockets', type: SOCK_DIAG_BY_FAMILY, parts: [request] }
}

/** `cgroup` is the number of the group's folder; null where the kernel does not say. */
export function decodeListening({ type, body }: Message): { inode: string; cgroup: bigint | null } {
  if (type !== SOCK_DIAG_BY_FAMILY || body.length < ANSWER_BYTES)
    throw new DecodeError(`message type ${type} of ${body.length} bytes where a socket is due`)
  const cgroup = new Attributes(body, ANSWER_BYTES).raw(INET_DIAG_CGROUP_ID)
  return {
    inode: String(body.readUInt32LE(68)),
    cgroup: cgroup?.length === 8 ? cgroup.readBigUInt64LE() : null,
  }
}
