// The kernel's word of each flow of the fast path that has ended. The socket is kept by the service manager, so that it
// goes on collecting while no helper runs.
import { attributeFilter } from '../../netlink/filter.ts'
import * as k from '../../netlink/constants.ts'
import { decodeMessages, type Message } from '../../netlink/message.ts'
import { openChannel } from '../../netlink/channel.ts'
import { native, type Channel, type Native } from '../../native/index.ts'
import { log } from '../../log.ts'
import { KeptSocket } from '../kept-socket.ts'

const SOCKET_NAME = 'fast-path'
const NFNLGRP_CONNTRACK_DESTROY = 3
const CTA_MARK = 8
/** Events that wait here do not occupy the table of connections, where flows need the room. */
const BUFFER_BYTES = 32 * 1024 * 1024
const BURST = 256

type Transport = Pick<
  Native,
  | 'open'
  | 'option'
  | 'receiveBuffer'
  | 'send'
  | 'receive'
  | 'watch'
  | 'close'
  | 'peek'
  | 'filter'
  | 'inherit'
  | 'keep'
  | 'sdNotify'
>

export class FlowEvents {
  readonly #transport: Transport
  readonly #channel: Channel
  /** What an earlier helper left is in it. */
  readonly isInherited: boolean
  /** It outlives this helper. */
  readonly isKept: boolean
  readonly #onEnd: (flow: Message) => void

  /** `onEnd` has done with a flow when it returns; until then its event waits. */
  constructor(onEnd: (flow: Message) => void, transport: Transport = native, environment = process.env) {
    this.#transport = transport
    this.#onEnd = onEnd
    const kept = new KeptSocket(SOCKET_NAME, transport, environment)
    const left = kept.inherit()
    this.isInherited = left !== null
    this.#channel = left ?? this.#open()
    this.isKept = left !== null || kept.keep(this.#channel)
    this.#watch()
  }

  static isLeft = (): boolean => new KeptSocket(SOCKET_NAME).isKept

  #open(): Channel {
    const channel = openChannel(this.#transport, k.NETLINK_NETFILTER)
    this.#transport.receiveBuffer(channel, BUFFER_BYTES)
    this.#transport.filter(channel, attributeFilter(CTA_MARK, 0xf000_0000, 0xd000_0000))
    // The kernel keeps what finds no room, and sends it again; so that is no error.
    for (const option of [k.NETLINK_BROADCAST_ERROR, k.NETLINK_NO_ENOBUFS])
      this.#transport.option(channel, k.SOL_NETLINK, option, 1)
    this.#transport.option(channel, k.SOL_NETLINK, k.NETLINK_ADD_MEMBERSHIP, NFNLGRP_CONNTRACK_DESTROY)
    return channel
  }

  #watch(): void {
    this.#transport.watch(this.#channel, (status) => {
      if (status < 0) this.#watch()
      this.take(BURST)
    })
  }

  /** At most so many; false where no more wait. */
  take(most: number): boolean {
    for (let left = most; left > 0; left -= 1) {
      const datagram = this.#transport.peek(this.#channel)
      if (!datagram) return false
      try {
        if (datagram.sender === 0) for (const message of decodeMessages(datagram.bytes)) this.#onEnd(message)
      } catch (error) {
        log('error', 'What a flow of the fast path carried is not counted', { detail: String(error) })
      }
      this.#transport.receive(this.#channel)
    }
    return true
  }

  close(): void {
    this.#transport.close(this.#channel)
  }
}
