// The addon: what it answers, refuses and gives back.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { native, type Channel } from '@panel/root-helper/native/index.ts'
import { NETLINK_ROUTE, SOL_NETLINK } from '@panel/root-helper/netlink/constants.ts'

const openFiles = (): number => readdirSync('/proc/self/fd').length

describe('the addon', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'panel-native-'))))
  after(() => rmSync(folder, { recursive: true }))

  it('names the errno of each failure', () => {
    const channel = native.open(NETLINK_ROUTE)
    assert.throws(() => native.open(30), { code: 'EPROTONOSUPPORT' })
    assert.throws(() => native.option(channel, SOL_NETLINK, 9999, 1), { code: 'ENOPROTOOPT' })
    assert.throws(() => native.peerCredentials(2 ** 20), { code: 'EBADF' })
    native.close(channel)
    native.close(channel)
    assert.throws(() => native.receive(channel), { code: 'EBADF' })
  })

  it('refuses what is not a channel, a buffer or a number', () => {
    const channel = native.open(NETLINK_ROUTE)
    for (const other of [{}, null, 7, 'x']) assert.throws(() => native.receive(other as unknown as Channel), TypeError)
    assert.throws(() => native.send(channel, 'text' as unknown as Uint8Array), TypeError)
    assert.throws(() => native.open('0' as unknown as number), TypeError)
    native.close(channel)
  })

  it('answers null while nothing waits', () => {
    const channel = native.open(NETLINK_ROUTE)
    assert.equal(native.receive(channel), null)
    native.close(channel)
  })

  it('gives back every socket that it opened', () => {
    const before = openFiles()
    for (let i = 0; i < 200; i++) {
      const channel = native.open(NETLINK_ROUTE)
      native.watch(channel, () => undefined)
      native.watch(channel, () => undefined)
      native.close(channel)
    }
    assert.equal(openFiles(), before)
  })

  it('tells who is at the other end of a Unix socket', async () => {
    const path = join(folder, 'peer')
    const server = createServer().listen(path)
    await once(server, 'listening')
    const client = connect(path)
    const [accepted] = (await once(server, 'connection')) as [Socket & { _handle: { fd: number } }]
    assert.deepEqual(native.peerCredentials(accepted._handle.fd), {
      pid: process.pid,
      uid: process.getuid?.(),
      gid: process.getgid?.(),
    })
    client.destroy()
    server.close()
  })

  describe('speaking to the service manager', () => {
    const notifyVia = async (name: string, receiver: string, text: string): Promise<string> => {
      process.env['NOTIFY_SOCKET'] = name
      const manager = spawn('socat', ['-u', receiver, '-'], { stdio: ['ignore', 'pipe', 'inherit'] })
      manager.stdout.setEncoding('utf8')
      // socat takes a moment to bind, and the addon says so with an errno until it has.
      for (let i = 0; ; i++) {
        try {
          assert.equal(native.sdNotify(text), true)
          break
        } catch (error) {
          if (i > 200) throw error
          await sleep(10)
        }
      }
      const [received] = (await once(manager.stdout, 'data')) as [string]
      manager.kill()
      return received
    }
    afterEach(() => delete process.env['NOTIFY_SOCKET'])

    it('says nothing where there is none', () => assert.equal(native.sdNotify('READY=1'), false))

    it('reaches a path and an abstract name', async () => {
      const path = join(folder, 'notify')
      assert.equal(await notifyVia(path, `UNIX-RECV:${path}`, 'READY=1\nSTATUS=ok'), 'READY=1\nSTATUS=ok')
      const name = `panel-native-${process.pid}`
      assert.equal(await notifyVia(`@${name}`, `ABSTRACT-RECV:${name}`, 'WATCHDOG=1'), 'WATCHDOG=1')
    })

    it('refuses a name that is none', () => {
      for (const name of ['relative', `/${'x'.repeat(200)}`]) {
        process.env['NOTIFY_SOCKET'] = name
        assert.throws(() => native.sdNotify('READY=1'), { code: 'EINVAL' })
      }
    })
  })
})
