// What the helper says to the service manager of a socket that is to outlive it, and what it takes from it.
import assert from 'node:assert/strict'
import { KeptSocket, type Keeper } from '@panel/root-helper/kernel/kept-socket.ts'
import type { Channel } from '@panel/root-helper/native/index.ts'

const channel = {} as Channel

class Manager implements Keeper {
  readonly notifications: string[] = []
  readonly taken: number[] = []
  readonly isThere: boolean

  constructor(isThere = true) {
    this.isThere = isThere
  }

  inherit = (fd: number): Channel => {
    this.taken.push(fd)
    return channel
  }
  keep = (_: Channel, text: string): boolean => this.sdNotify(text)
  sdNotify = (text: string): boolean => {
    if (this.isThere) this.notifications.push(text)
    return this.isThere
  }
}

const started = (names: string, pid = process.pid): NodeJS.ProcessEnv => ({
  LISTEN_PID: String(pid),
  LISTEN_FDS: String(names.split(':').length),
  LISTEN_FDNAMES: names,
})

describe('a socket that outlives the helper', () => {
  it('is taken once, by its name among those that the service manager passes', () => {
    const manager = new Manager()
    const socket = new KeptSocket('owner-panel', manager, started('fast-path:owner-panel'))
    assert.equal(socket.isKept, true)
    assert.equal(socket.inherit(), channel)
    assert.equal(socket.inherit(), null)
    assert.deepEqual(manager.taken, [4])
  })

  it('is not taken where it was passed to another process, or was not passed', () => {
    const manager = new Manager()
    for (const environment of [started('owner-panel', process.pid + 1), started('fast-path'), {}]) {
      const socket = new KeptSocket('owner-panel', manager, environment)
      assert.deepEqual([socket.isKept, socket.inherit()], [false, null])
    }
    assert.deepEqual(manager.taken, [])
  })

  it('is given to the service manager and taken back from it by its name, each once', () => {
    const manager = new Manager()
    const socket = new KeptSocket('owner-panel', manager, {})
    assert.deepEqual(
      [socket.forget(), socket.keep(channel), socket.forget(), socket.forget()],
      [false, true, true, false],
    )
    assert.deepEqual(manager.notifications, [
      'FDSTORE=1\nFDNAME=owner-panel\nFDPOLL=0',
      'FDSTOREREMOVE=1\nFDNAME=owner-panel',
    ])
  })

  it('is not kept where there is no service manager', () => {
    const socket = new KeptSocket('owner-panel', new Manager(false), {})
    assert.deepEqual([socket.keep(channel), socket.isKept, socket.forget()], [false, false, false])
  })
})
