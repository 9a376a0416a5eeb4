// The conversation with the kernel, over a transport that says what no kernel can be made to say on demand.
import assert from 'node:assert/strict'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { DecodeError } from '@panel/root-helper/netlink/attributes.ts'
import type { Transport } from '@panel/root-helper/netlink/channel.ts'
import * as k from '@panel/root-helper/netlink/constants.ts'
import { watchLinks, type LinkEvent } from '@panel/root-helper/netlink/events.ts'
import { dumpLinks, getLink } from '@panel/root-helper/netlink/link.ts'
import { NetlinkSocket } from '@panel/root-helper/netlink/socket.ts'
import type { Channel, Datagram } from '@panel/root-helper/native/index.ts'
import { acknowledgement, datagram, done, linkMessage, plainGre } from './kernel-says.ts'

/**
 * A kernel that answers a request (given its sequence number and its count) with datagrams or with an error of the
 * socket.
 */
class ScriptedKernel implements Transport {
  readonly waiting: (Datagram | Error)[] = []
  watches = 0
  closes = 0
  requests = 0
  private onReady: (status: number) => void = () => undefined
  private readonly answer: (sequence: number, count: number) => (Datagram | Error | Buffer)[]

  constructor(answer: (sequence: number, count: number) => (Datagram | Error | Buffer)[] = () => []) {
    this.answer = answer
  }

  open = (): Channel => ({}) as Channel
  option = (): void => undefined
  receiveBuffer = (): void => undefined
  send = (_: Channel, bytes: Uint8Array): void => {
    this.requests += 1
    for (const one of this.answer(Buffer.from(bytes).readUInt32LE(8), this.requests))
      this.waiting.push(Buffer.isBuffer(one) ? { bytes: one, sender: 0 } : one)
  }
  receive = (): Datagram | null => {
    const next = this.waiting.shift() ?? null
    if (next instanceof Error) throw next
    return next
  }
  watch = (_: Channel, onReady: (status: number) => void): void => {
    this.watches += 1
    this.onReady = onReady
  }
  close = (): void => {
    this.closes += 1
  }
  /** Something arrives by itself. */
  say(what: Datagram | Error, status = 0): void {
    this.waiting.push(what)
    this.onReady(status)
  }
}

const link = (sequence: number, name: string, flags = k.NLM_F_MULTI) => ({
  ...linkMessage(plainGre, { name }),
  sequence,
  flags,
})
const overflow = (): Error => Object.assign(new Error('receive: No buffer space available'), { code: 'ENOBUFS' })
const codeOf = (code: string) => (error: unknown) => error instanceof KernelError && error.code === code

describe('the netlink socket', () => {
  it('is refused by the kernel where that lacks the protocol, as by a kernel without netfilter', () => {
    const transport = new ScriptedKernel()
    transport.open = () => {
      throw Object.assign(new Error('open socket: Protocol not supported'), { code: 'EPROTONOSUPPORT' })
    }
    assert.throws(
      () => new NetlinkSocket({ transport }),
      (error) => error instanceof KernelError && error.code === 'EPROTONOSUPPORT',
    )
  })

  it('gives the replies that come before the acknowledgement', async () => {
    const socket = new NetlinkSocket({
      transport: new ScriptedKernel((n) => [datagram(link(n, 'a', 0)), datagram(acknowledgement(n, 0))]),
    })
    assert.equal((await socket.request(getLink('a'))).length, 1)
  })

  it("tells a refusal by its errno and the kernel's own words", async () => {
    const socket = new NetlinkSocket({
      transport: new ScriptedKernel((n) => [datagram(acknowledgement(n, 95, 'Unknown device type'))]),
    })
    await assert.rejects(
      socket.request(getLink('a')),
      (error: unknown) =>
        error instanceof KernelError &&
        error.code === 'EOPNOTSUPP' &&
        /^read link a: Unknown device type \(EOPNOTSUPP\)$/.test(error.message),
    )
  })

  it('takes no answer to an earlier process that had the same socket for one of its own', async () => {
    const kernel = new ScriptedKernel((n) => [datagram(link(n, 'ours', 0)), datagram(acknowledgement(n, 0))])
    kernel.waiting.push({ bytes: datagram(link(1, 'theirs', 0)), sender: 0 }, overflow())
    kernel.waiting.push({ bytes: datagram(acknowledgement(1, 19)), sender: 0 })
    const socket = new NetlinkSocket({ transport: kernel, channel: {} as Channel })
    const [reply, ...others] = await socket.request(getLink('ours'))
    assert.match(String(reply?.body), /ours/)
    assert.deepEqual(others, [])
  })

  it('joins the parts of a dump', async () => {
    const socket = new NetlinkSocket({
      transport: new ScriptedKernel((n) => [
        datagram(link(n, 'a'), link(n, 'b')),
        datagram(link(n, 'c')),
        datagram(done(n)),
      ]),
    })
    assert.equal((await socket.dump(dumpLinks)).length, 3)
  })

  it('reads again a dump that was torn by a change', async () => {
    const kernel = new ScriptedKernel((n, count) => [
      datagram(link(n, 'a')),
      datagram(done(n, count < 3 ? k.NLM_F_MULTI | k.NLM_F_DUMP_INTR : k.NLM_F_MULTI)),
    ])
    assert.equal((await new NetlinkSocket({ transport: kernel }).dump(dumpLinks)).length, 1)
    assert.equal(kernel.requests, 3)
  })

  it('gives up on a dump that is torn every time', async () => {
    const kernel = new ScriptedKernel((n) => [
      datagram({ ...link(n, 'a'), flags: k.NLM_F_DUMP_INTR }),
      datagram(done(n)),
    ])
    await assert.rejects(new NetlinkSocket({ transport: kernel }).dump(dumpLinks), codeOf('EINTR'))
    assert.equal(kernel.requests, 10)
  })

  it('believes the kernel only', async () => {
    const kernel = new ScriptedKernel((n) => [
      { bytes: datagram(acknowledgement(n, 0)), sender: 4242 },
      datagram(acknowledgement(n, 1)),
    ])
    await assert.rejects(new NetlinkSocket({ transport: kernel }).request(getLink('a')), codeOf('EPERM'))
  })

  it('gives each of several requests its own answer, in whatever order they come', async () => {
    const sent: number[] = []
    const kernel = new ScriptedKernel((n) => (sent.push(n), []))
    const socket = new NetlinkSocket({ transport: kernel })
    const answers = Promise.allSettled(['a', 'b'].map((name) => socket.request(getLink(name))))
    kernel.say({ bytes: datagram(acknowledgement(sent[1]!, 17), acknowledgement(sent[0]!, 0)), sender: 0 })
    assert.deepEqual(
      (await answers).map(({ status }) => status),
      ['fulfilled', 'rejected'],
    )
  })

  it('asks for one dump at a time', async () => {
    const sent: number[] = []
    const kernel = new ScriptedKernel((n) => (sent.push(n), []))
    const socket = new NetlinkSocket({ transport: kernel })
    const dumps = [socket.dump(dumpLinks), socket.dump(dumpLinks)]
    for (const turn of [1, 2]) {
      await new Promise(setImmediate)
      assert.equal(sent.length, turn)
      kernel.say({ bytes: datagram(done(sent[turn - 1]!)), sender: 0 })
    }
    await Promise.all(dumps)
  })

  it('does not let a failed dump stop the next', async () => {
    const kernel = new ScriptedKernel((n, count) => [datagram(count === 1 ? acknowledgement(n, 16) : done(n))])
    const socket = new NetlinkSocket({ transport: kernel })
    const [first, second] = await Promise.allSettled([socket.dump(dumpLinks), socket.dump(dumpLinks)])
    assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled'])
  })

  it('stops waiting for a kernel that does not answer', async () => {
    await assert.rejects(
      new NetlinkSocket({ transport: new ScriptedKernel(), timeoutMs: 20 }).request(getLink('a')),
      codeOf('ETIMEDOUT'),
    )
  })

  it('rejects what waits when answers were lost, watches again and goes on', async () => {
    const kernel = new ScriptedKernel((n, count) => (count === 1 ? [] : [datagram(acknowledgement(n, 0))]))
    const socket = new NetlinkSocket({ transport: kernel })
    const lost = assert.rejects(socket.request(getLink('a')), codeOf('ENOBUFS'))
    kernel.say(overflow(), -9)
    await lost
    assert.equal(kernel.watches, 2)
    await socket.request(getLink('b'))
  })

  it('rejects what waits with a DecodeError when the bytes make no sense', async () => {
    const socket = new NetlinkSocket({ transport: new ScriptedKernel(() => [Buffer.from('nonsense')]) })
    await assert.rejects(socket.request(getLink('a')), DecodeError)
  })

  it('rejects what waits when it is closed, and later requests', async () => {
    const kernel = new ScriptedKernel()
    const socket = new NetlinkSocket({ transport: kernel })
    const waiting = assert.rejects(socket.request(getLink('a')), codeOf('ECANCELED'))
    socket.close()
    socket.close()
    await waiting
    await assert.rejects(socket.dump(dumpLinks), codeOf('ECANCELED'))
    assert.equal(kernel.closes, 1)
  })
})

describe('the event subscription', () => {
  const received: (LinkEvent | string)[] = []
  const handlers = {
    onEvent: (event: LinkEvent) => void received.push(event),
    onLost: (reason: Error) => void received.push(reason.message),
  }

  it('tells links and addresses, says when some were lost, and goes on', () => {
    const kernel = new ScriptedKernel()
    const end = watchLinks(handlers, { transport: kernel })
    kernel.say({ bytes: datagram(link(0, 'a')), sender: 0 })
    kernel.say({ bytes: datagram(link(0, 'forged')), sender: 17 })
    kernel.say(overflow(), -9)
    kernel.say({
      bytes: datagram({
        type: k.RTM_DELADDR,
        flags: 0,
        sequence: 0,
        port: 0,
        body: Buffer.from([2, 24, 0, 0, 9, 0, 0, 0]),
      }),
      sender: 0,
    })
    end()
    kernel.say({ bytes: datagram(link(0, 'late')), sender: 0 })
    assert.deepEqual(received, [
      { subject: 'link', is_removal: false, index: 7, name: 'a' },
      'receive: No buffer space available',
      { subject: 'address', is_removal: true, index: 9, name: '' },
    ])
    assert.equal(kernel.watches, 2)
  })
})
