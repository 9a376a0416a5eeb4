// Netlink messages: a datagram cut into messages, a request put together, the kernel's acknowledgement read.
import { align, Attributes, DecodeError } from './attributes.ts'
import { NLM_F_ACK_TLVS, NLM_F_CAPPED, NLMSG_HDRLEN, NLMSGERR_ATTR_MSG } from './constants.ts'

export interface Message {
  type: number
  flags: number
  sequence: number
  /** The address of the socket that an answer goes to, which is a number. */
  port: number
  /** Everything after the header. */
  body: Buffer
}

export function decodeMessages(datagram: Buffer): Message[] {
  const messages: Message[] = []
  let at = 0
  while (at < datagram.length) {
    const left = datagram.length - at
    const length = left < NLMSG_HDRLEN ? 0 : datagram.readUInt32LE(at)
    if (length < NLMSG_HDRLEN || length > left)
      throw new DecodeError(`message of ${length} bytes at ${at}, where ${left} are left`)
    messages.push({
      type: datagram.readUInt16LE(at + 4),
      flags: datagram.readUInt16LE(at + 6),
      sequence: datagram.readUInt32LE(at + 8),
      port: datagram.readUInt32LE(at + 12),
      body: datagram.subarray(at + NLMSG_HDRLEN, at + length),
    })
    at += align(length)
  }
  return messages
}

export function encodeMessage(type: number, flags: number, sequence: number, parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(NLMSG_HDRLEN)
  const message = Buffer.concat([header, ...parts])
  message.writeUInt32LE(message.length, 0)
  message.writeUInt16LE(type, 4)
  message.writeUInt16LE(flags, 6)
  message.writeUInt32LE(sequence, 8)
  return message
}

export interface Acknowledgement {
  /** 0 is success, else a positive errno. */
  errno: number
  /** The kernel's own words, or "". */
  text: string
}

/**
 * Reads NLMSG_ERROR: struct nlmsgerr, the request (its header alone where capped), then the extended acknowledgement.
 */
export function decodeError(message: Message): Acknowledgement {
  const { body, flags } = message
  if (body.length < 4 + NLMSG_HDRLEN) throw new DecodeError('an acknowledgement without the header of its request')
  const echoed = flags & NLM_F_CAPPED ? NLMSG_HDRLEN : align(body.readUInt32LE(4))
  return { errno: -body.readInt32LE(0), text: kernelText(flags, body, 4 + echoed) }
}

/** Reads NLMSG_DONE: an errno, then the extended acknowledgement. */
export function decodeDone(message: Message): Acknowledgement {
  const { body, flags } = message
  return { errno: body.length < 4 ? 0 : -body.readInt32LE(0), text: kernelText(flags, body, 4) }
}

function kernelText(flags: number, body: Buffer, start: number): string {
  if (!(flags & NLM_F_ACK_TLVS)) return ''
  return new Attributes(body, start).text(NLMSGERR_ATTR_MSG) ?? ''
}
