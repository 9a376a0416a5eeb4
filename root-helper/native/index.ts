// Loads the addon and gives its functions types; nothing outside `netlink/` and the helper's `main` needs it.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

declare const channel: unique symbol
/** An open socket. It closes when closed, or when it is garbage and not watched. */
export interface Channel {
  readonly [channel]: true
}

export interface Datagram {
  bytes: Buffer
  /** nl_pid of the sender: 0 is the kernel, anything else is some process. */
  sender: number
}

/**
 * For each packet: the offset of the sender's address in the buffer, the lengths of the address and of the packet after
 * it, and the other fields of a `Packet`.
 */
export const NOTES = 6

export interface Peer {
  pid: number
  uid: number
  gid: number
}

/** Each throws an Error whose `code` is the errno's name. Source: panel.c, packet.c, store.c. */
export interface Native {
  /** Opens and binds a socket of a netlink protocol (NETLINK_ROUTE and so on), non-blocking. */
  open(protocol: number): Channel
  option(channel: Channel, level: number, name: number, value: number): void
  receiveBuffer(channel: Channel, bytes: number): void
  send(channel: Channel, bytes: Uint8Array): void
  /** Null where nothing waits. ENOBUFS: the kernel dropped messages. */
  receive(channel: Channel): Datagram | null
  /** The same, and it goes on waiting. */
  peek(channel: Channel): Datagram | null
  /** An open netlink socket of that protocol, which closes with the channel; null where it is none. */
  inherit(fd: number, protocol: number): Channel | null
  /** Gives the socket to the service manager, with lines such as FDSTORE=1; false where there is none. */
  keep(channel: Channel, text: string): boolean
  /** Instructions of a classic BPF program (struct sock_filter): what they refuse never reaches the socket. */
  filter(channel: Channel, instructions: Uint8Array): void
  /** A status below 0 means that watching has stopped; watch again to go on. */
  watch(channel: Channel, onReady: (status: number) => void): void
  /** Until `watch` is called again. */
  pause(channel: Channel): void
  close(channel: Channel): void
  /** A raw ICMP (4) or ICMPv6 (6) socket. */
  openIcmp(family: 4 | 6): Channel
  optionBytes(channel: Channel, level: number, name: number, bytes: Uint8Array): void
  /** 0 where there is no interface of that name. */
  interfaceIndex(channel: Channel, name: string): number
  /**
   * Microseconds since 1970 when it left, or an errno below 0. No source, interface 0 and hop limit 0 leave the choice
   * to the kernel.
   */
  sendPacket(
    channel: Channel,
    bytes: Uint8Array,
    destination: Uint8Array,
    source: Uint8Array,
    interface_index: number,
    hop_limit: number,
  ): number
  /** How many waiting packets fitted into the 64 KiB buffer, with NOTES numbers for each. */
  receivePackets(channel: Channel, bytes: Uint8Array, notes: Float64Array): number
  /** Credentials of the peer of a connected Unix socket. */
  peerCredentials(fd: number): Peer
  /** False where NOTIFY_SOCKET is not set. */
  sdNotify(text: string): boolean
}

// A bundle has the addon beside it; run from source, it is where build.mjs puts it.
const here = dirname(fileURLToPath(import.meta.url))
const places = [join(here, 'panel.node'), join(here, '../../.build/native/panel.node')]

function load(): Native {
  const path = places.find((place) => existsSync(place))
  if (!path)
    throw new Error(
      `the addon is not built (looked for ${places.join(' and ')}): run node root-helper/native/build.mjs`,
    )
  return createRequire(import.meta.url)(path) as Native
}

export const native: Native = load()
