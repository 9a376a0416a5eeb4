// Hints that a link or an address has changed. Hints may be lost (then `onLost` is called): only a dump is complete.
import { DecodeError, Attributes } from './attributes.ts'
import { openChannel, type Transport } from './channel.ts'
import * as k from './constants.ts'
import { decodeMessages, type Message } from './message.ts'
import { native } from '../native/index.ts'

/** `name` is "" where the message has none: an IPv6 address carries only the index of its link. */
export interface LinkEvent {
  subject: 'link' | 'address'
  is_removal: boolean
  index: number
  name: string
}

export interface EventHandlers {
  onEvent: (event: LinkEvent) => void
  /** Some events are missing: read everything again. */
  onLost: (reason: Error) => void
}

const GROUPS = [k.RTNLGRP_LINK, k.RTNLGRP_IPV4_IFADDR, k.RTNLGRP_IPV6_IFADDR]
const BURST = 64

/** Returns the function that ends it. */
export function watchLinks(handlers: EventHandlers, transport: Transport = native): () => void {
  const channel = openChannel(transport)
  for (const group of GROUPS) transport.option(channel, k.SOL_NETLINK, k.NETLINK_ADD_MEMBERSHIP, group)
  let isClosed = false
  const next = (): LinkEvent[] | null => {
    try {
      const datagram = transport.receive(channel)
      return datagram && (datagram.sender === 0 ? decodeEvents(datagram.bytes) : [])
    } catch (error) {
      handlers.onLost(error instanceof Error ? error : new Error(String(error)))
      return []
    }
  }
  const drain = (): void => {
    for (let i = 0; i < BURST && !isClosed; i++) {
      const events = next()
      if (!events) return
      for (const event of events) if (!isClosed) handlers.onEvent(event)
    }
  }
  // libuv stops watching a socket that reported an error, and an overflown buffer is one.
  const watch = (): void =>
    transport.watch(channel, (status) => {
      if (status < 0) watch()
      drain()
    })
  watch()
  return () => {
    if (!isClosed) transport.close(channel)
    isClosed = true
  }
}

/** The events in a datagram; messages of other types are passed over. */
export const decodeEvents = (datagram: Buffer): LinkEvent[] =>
  decodeMessages(datagram).flatMap((message) => decodeEvent(message) ?? [])

function decodeEvent(message: Message): LinkEvent | null {
  const { type, body } = message
  if (type === k.RTM_NEWLINK || type === k.RTM_DELLINK) {
    const name = new Attributes(body, k.IFINFOMSG_LENGTH).text(k.IFLA_IFNAME) ?? ''
    return { subject: 'link', is_removal: type === k.RTM_DELLINK, index: body.readInt32LE(4), name }
  }
  if (type === k.RTM_NEWADDR || type === k.RTM_DELADDR) {
    if (body.length < k.IFADDRMSG_LENGTH) throw new DecodeError(`an address message of ${body.length} bytes`)
    return { subject: 'address', is_removal: type === k.RTM_DELADDR, index: body.readUInt32LE(4), name: '' }
  }
  return null
}
