// How long root looks at all connections of the host: no more than 2 s, whatever the kernel does, and never over the
// socket that other questions need.
import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { KernelConnections } from '@panel/root-helper/kernel/conntrack/connections.ts'
import type { Transport } from '@panel/root-helper/netlink/channel.ts'
import type { Channel } from '@panel/root-helper/native/index.ts'
import { FakeForwarding } from '../../support/fake-forwarding.ts'
import { countThrough } from '@panel/root-helper/nouns/ruleset/connections.ts'

/** It takes what is sent, and never answers. */
class SilentKernel implements Transport {
  opened = 0
  closed = 0
  open = (): Channel => {
    this.opened += 1
    return {} as Channel
  }
  option = (): void => undefined
  receiveBuffer = (): void => undefined
  send = (): void => undefined
  receive = (): null => null
  watch = (): void => undefined
  close = (): void => void (this.closed += 1)
}

describe('All connections of the host', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('are given up after 2 s with the reason, and the socket with them; the next question has a new one', async () => {
    const kernel = new SilentKernel()
    const connections = new KernelConnections({ transport: kernel })
    for (const time of [1, 2]) {
      let ended = false
      const counting = countThrough(
        { connections, forwarding: new FakeForwarding(() => undefined) },
        { networks: ['10.9.0.0/24'] },
      ).finally(() => (ended = true))
      await settle()
      assert.equal(kernel.opened, time)
      mock.timers.tick(1999)
      await settle()
      assert.deepEqual([ended, kernel.closed], [false, time - 1])
      mock.timers.tick(1)
      assert.deepEqual(await counting, {
        is_readable: false,
        detail: 'Not all connections could be listed in time',
        connections: 0,
      })
      assert.equal(kernel.closed, time)
    }
  })
})

/** Whatever waits for nothing but its turn has had it. */
const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate)
}
