// Hints that a link, an address, a route or a setting of an interface has changed. Hints may be lost (then `onLost` is
// called): only a dump is complete.
import { DecodeError, Attributes } from './attributes.ts'
import { openChannel, type Transport } from './channel.ts'
import * as k from './constants.ts'
import { decodeMessages, type Message } from './message.ts'
import { decodeNetconf } from './netconf.ts'
import { native } from '../native/index.ts'

/**
 * `name` is "" where the message has none: an IPv6 address carries only the index of its link. The index of a route is
 * 0, and so is that of a setting that holds for more than one interface.
 */
export interface LinkEvent {
  subject: 'link' | 'address' | 'route' | 'setting'
  is_removal: boolean
  index: number
  name: string
}

export interface EventHandlers {
  onEvent: (event: LinkEvent) => void
  /** Some events are missing: read everything again. */
  onLost: (reason: Error) => void
}

const OF_LINKS = [k.RTNLGRP_LINK, k.RTNLGRP_IPV4_IFADDR, k.RTNLGRP_IPV6_IFADDR]
const OF_ROUTES = [k.RTNLGRP_IPV4_ROUTE, k.RTNLGRP_IPV6_ROUTE, k.RTNLGRP_IPV4_RULE, k.RTNLGRP_IPV6_RULE]
const OF_SETTINGS = [k.RTNLGRP_IPV4_NETCONF, k.RTNLGRP_IPV6_NETCONF]
/** Beside links and addresses: nothing, default routes and the rules of the routing, or all routes and settings. */
const BESIDE = { nothing: [], defaults: OF_ROUTES, paths: [...OF_ROUTES, ...OF_SETTINGS] } as const
export type Beside = keyof typeof BESIDE
const BURST = 64

/** Returns the function that ends it. */
export function watchLinks(
  handlers: EventHandlers,
  { transport = native, beside = 'nothing' }: { readonly transport?: Transport; readonly beside?: Beside } = {},
): () => void {
  const channel = openChannel(transport)
  for (const group of [...OF_LINKS, ...BESIDE[beside]])
    transport.option(channel, k.SOL_NETLINK, k.NETLINK_ADD_MEMBERSHIP, group)
  let isClosed = false
  const next = (): LinkEvent[] | null => {
    try {
      const datagram = transport.receive(channel)
      return datagram && (datagram.sender === 0 ? decodeEvents(datagram.bytes, beside) : [])
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
export const decodeEvents = (datagram: Buffer, beside: Beside = 'paths'): LinkEvent[] =>
  decodeMessages(datagram).flatMap((message) =>
    beside === 'defaults' && isOfNetwork(message) ? [] : (decodeEvent(message) ?? []),
  )

/** A route to less than everything. The second byte of struct rtmsg is the length of its prefix. */
const isOfNetwork = ({ type, body }: Message): boolean =>
  (type === k.RTM_NEWROUTE || type === k.RTM_DELROUTE) && body.length > 1 && body.readUInt8(1) > 0

/** A rule decides which of the routes counts, so it is reported like one. */
const ROUTING: readonly number[] = [k.RTM_NEWROUTE, k.RTM_DELROUTE, k.RTM_NEWRULE, k.RTM_DELRULE]
const REMOVALS: readonly number[] = [k.RTM_DELROUTE, k.RTM_DELRULE]

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
  if (ROUTING.includes(type)) return { subject: 'route', is_removal: REMOVALS.includes(type), index: 0, name: '' }
  if (type === k.RTM_NEWNETCONF)
    return { subject: 'setting', is_removal: false, index: Math.max(0, decodeNetconf(message).index), name: '' }
  return null
}
