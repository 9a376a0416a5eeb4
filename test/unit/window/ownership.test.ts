// Whose a link is, in a window: who adopted it or gave it up takes that back with all the rest (root-helper.md,
// Windows).
import assert from 'node:assert/strict'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { FaultyKernel } from '../../support/faulty.ts'
import { exampleTunnel } from '../../support/example.ts'
import { quietly } from '../../support/quietly.ts'
import { ID, Root } from './root.ts'

const NAME = 'gre-a-1'
const example = exampleTunnel()
const bare: TunnelState = { ...example, saved: null }
const released = { interface_name: NAME }

describe('A foreign link that is adopted in a window', () => {
  quietly()
  let root: Root
  let opening: string
  beforeEach(async () => {
    root = await new Root().start()
    root.kernel.plant(NAME, { state: structuredClone(bare.link) })
    opening = root.picture()
    await root.open()
  })
  const cancel = () => root.handlers['window.cancel']({ window_id: ID })
  const isForeignAgain = async (): Promise<void> => {
    assert.deepEqual([root.picture(), await root.isOurs(NAME)], [opening, false])
    await root.handlers['window.forget']({ window_id: ID })
    await assert.rejects(root.tunnel(bare, null), { code: 'protected_interface' })
  }

  it('is foreign again once the window is taken back, and the panel’s if it is confirmed', async () => {
    await root.adopt(bare)
    assert.deepEqual([root.windows.probe().window?.changes, await root.isOurs(NAME)], [1, true])
    await cancel()
    await isForeignAgain()
    await root.open()
    await root.adopt(bare)
    await root.handlers['window.confirm']({ window_id: ID })
    assert.equal((await root.tunnel(bare, null)).outcome, 'applied')
  })

  it('is so also where it was given files, made again or renamed meanwhile', async () => {
    const changes = [example, { ...exampleTunnel({ ttl: 9 }), saved: null }, exampleTunnel({}, 'gre-b-2')]
    for (const after of changes) {
      await root.adopt(bare)
      assert.equal((await root.tunnel(bare, after)).outcome, 'applied')
      await cancel()
      await isForeignAgain()
      await root.open()
    }
  })

  it('is so although the helper is killed while the window is open, or is being taken back', async () => {
    await root.adopt(bare)
    await root.tunnel(bare, example)
    root.clock.stall(60_000)
    await root.start(new FaultyKernel(root.kernel, (request) => (request >= 2 ? 'refuses' : null)))
    assert.equal(root.windows.probe().window?.state, 'stuck')
    await root.start()
    await isForeignAgain()
  })

  it('cannot be adopted between the end of a window and the moment the panel has taken note', async () => {
    await root.adopt(bare)
    await cancel()
    await assert.rejects(root.adopt(bare), { code: 'window_ended' })
  })
})

describe('A link of the panel that is given up in a window', () => {
  quietly()

  it('is the panel’s again once the window is taken back', async () => {
    for (const state of [bare, example]) {
      const root = await new Root().start()
      await root.tunnel(null, state)
      await root.open()
      await root.handlers['tunnel.release'](released)
      assert.equal(await root.isOurs(NAME), false)
      await root.handlers['window.cancel']({ window_id: ID })
      await root.handlers['window.forget']({ window_id: ID })
      assert.equal(await root.isOurs(NAME), true)
      assert.equal((await root.tunnel(state, null)).outcome, 'applied')
    }
  })
})
