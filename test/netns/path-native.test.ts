// The addon's side of ICMP: what it refuses, and that it gives back what it opened. It needs root, as every raw socket
// does.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { EchoTemplate } from '@panel/root-helper/kernel/icmp/echo.ts'
import { native, NOTES, type Channel } from '@panel/root-helper/native/index.ts'
import { ipBytes } from '@panel/root-helper/netlink/bytes.ts'
import { eventually } from '../support/eventually.ts'

const NONE = Buffer.alloc(0)
const HERE = ipBytes('127.0.0.1')
const openFiles = (): number => readdirSync('/proc/self/fd').length

describe('The addon, as far as it sends packets', () => {
  let channel: Channel
  beforeEach(() => (channel = native.openIcmp(4)))
  afterEach(() => native.close(channel))

  it('refuses what is no address, no buffer and no room for notes', () => {
    for (const odd of [NONE, Buffer.alloc(5), Buffer.alloc(17)])
      assert.throws(() => native.sendPacket(channel, NONE, odd, NONE, 0, 0), TypeError)
    assert.throws(() => native.sendPacket(channel, NONE, HERE, ipBytes('::1'), 0, 0), TypeError)
    assert.throws(() => native.sendPacket(channel, 'text' as unknown as Buffer, HERE, NONE, 0, 0), TypeError)
    assert.throws(
      () => native.receivePackets(channel, Buffer.alloc(70_000), new Uint8Array(48) as unknown as Float64Array),
      TypeError,
    )
    assert.throws(() => native.interfaceIndex(channel, 7 as unknown as string), TypeError)
    native.close(channel)
    assert.throws(() => native.sendPacket(channel, NONE, HERE, NONE, 0, 0), { code: 'EBADF' })
  })

  it('knows the interfaces of this host by name, and gives an errno for what cannot be sent', () => {
    assert.equal(native.interfaceIndex(channel, 'lo'), 1)
    assert.equal(native.interfaceIndex(channel, 'no-such-link0'), 0)
    assert.equal(native.interfaceIndex(channel, 'x'.repeat(200)), 0)
    assert.ok(native.sendPacket(channel, Buffer.alloc(65_536), HERE, NONE, 0, 0) < 0)
  })

  it('puts no more into a buffer than there is room for, and leaves the rest for the next time', async () => {
    const template = new EchoTemplate(4, 56, Buffer.alloc(8, 9))
    // On the loopback a raw socket hears each request and the kernel's reply to it.
    for (let n = 0; n < 3; n += 1) assert.ok(native.sendPacket(channel, template.make(4711, n), HERE, NONE, 0, 0) > 0)
    const notes = new Float64Array(NOTES)
    assert.equal(native.receivePackets(channel, Buffer.alloc(65_535), notes), 0)
    let received = 0
    await eventually(() => {
      received += native.receivePackets(channel, Buffer.alloc(65_552), notes)
      return received >= 6
    }, 'each request and its reply')
    assert.ok(notes[3]! > 0 && notes[4] === 1 && notes[5] === -1)
  })

  it('gives back every socket that it opened', () => {
    const before = openFiles()
    for (let n = 0; n < 200; n += 1) {
      const one = native.openIcmp(n % 2 === 0 ? 4 : 6)
      native.watch(one, () => undefined)
      native.pause(one)
      native.close(one)
    }
    assert.equal(openFiles(), before)
  })
})
