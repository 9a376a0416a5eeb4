// Windows in root: what was changed in one is taken back unless it is confirmed in time (root-helper.md, Windows).
import assert from 'node:assert/strict'
import { WINDOW_SECONDS } from '@panel/shared/window/model.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { exampleTunnel } from '../../support/example.ts'
import { routeThrough } from '../../support/fake-routes.ts'
import { quietly } from '../../support/quietly.ts'
import { ID, OTHER_ID, Root } from './root.ts'

const tunnel = exampleTunnel()
const ELSEWHERE = [{ address: '172.17.9.1', peer_address: '', prefix_length: 30 }]
const elsewhere = exampleTunnel({ remote_endpoint: '198.51.100.77', addresses: ELSEWHERE }, 'gre-b-2')
const changed = exampleTunnel({ ttl: 64 })
const one = exampleRule({ route_rule_id: 1 })
const two = exampleRule({ route_rule_id: 2, bind_port: 8443, sort_order: 2 })
const moved = { ...one, bind_port: 4443 }

describe('A window', () => {
  quietly()
  let root: Root
  let opening: string
  beforeEach(async () => {
    root = await new Root().start()
    await root.tunnel(null, tunnel)
    await root.rules([], [one])
    root.kernel.routesOfOthers.set('gre-a-1', [routeThrough('10.50.0.0/16')])
    opening = root.picture()
  })

  /** A change of each noun, and two of one. */
  const change = async (): Promise<void> => {
    await root.tunnel(tunnel, changed)
    await root.tunnel(changed, null)
    await root.tunnel(null, elsewhere)
    await root.rules([one], [moved, two])
    await root.forward(true)
  }

  it('takes all of it back when its time is over, and nothing before', async () => {
    await root.open(60)
    await change()
    const { window } = root.windows.probe()
    assert.deepEqual(
      [window?.state, window?.changes, window?.seconds_left, window?.tunnels, window?.route_rule_ids],
      ['open', 5, 60, ['gre-a-1', 'gre-b-2'], [1, 2]],
    )
    assert.equal(window?.is_forwarding_touched, true)
    await root.clock.advance(59_999)
    assert.notEqual(root.picture(), opening)
    await root.clock.advance(1)
    await settled(root)
    assert.equal(root.picture(), opening)
    const { window: none, ended } = root.windows.probe()
    assert.deepEqual([none, ended], [null, { window_id: ID, how: 'expired', seconds_ago: 0 }])
  })

  it('leaves what was changed where it is confirmed', async () => {
    await root.open()
    await change()
    const there = root.picture()
    assert.deepEqual(await root.handlers['window.confirm']({ window_id: ID }), { window: null, ended: null })
    await root.clock.advance(3_600_000)
    await (await root.start()).start()
    assert.equal(root.picture(), there)
    await root.tunnel(null, tunnel)
  })

  it('takes all of it back at once where it is cancelled', async () => {
    await root.open()
    await change()
    const { window, ended } = await root.handlers['window.cancel']({ window_id: ID })
    assert.deepEqual([window, ended?.how, root.picture()], [null, 'cancelled', opening])
    assert.deepEqual((await root.handlers['window.cancel']({ window_id: ID })).ended?.how, 'cancelled')
  })

  it('counts its time from the end of the last change', async () => {
    await root.open(60)
    await root.tunnel(tunnel, changed)
    await root.clock.advance(50_000)
    await root.rules([one], [moved])
    await root.clock.advance(50_000)
    assert.equal(root.windows.probe().window?.seconds_left, 10)
    await root.clock.advance(10_000)
    await settled(root)
    assert.equal(root.picture(), opening)
  })

  it('that starts with the first change waits for it, an hour at most, and then has its time', async () => {
    await root.open(60, 'first_change')
    const waiting = root.windows.probe().window
    assert.deepEqual([waiting?.is_waiting, waiting?.seconds, waiting?.seconds_left], [true, 60, 3600])
    await root.clock.advance(1_800_000)
    await change()
    const { window } = root.windows.probe()
    assert.deepEqual([window?.is_waiting, window?.seconds_left], [false, 60])
    await root.clock.advance(60_000)
    await settled(root)
    assert.equal(root.picture(), opening)

    await root.windows.forget({ window_id: ID })
    await root.open(60, 'first_change')
    await root.clock.advance(3_600_000)
    await settled(root)
    assert.equal(root.windows.probe().ended?.how, 'expired')
  })

  it('that waits goes on waiting after a change that was refused or put back', async () => {
    await root.open(60, 'first_change')
    await assert.rejects(root.tunnel(elsewhere, null))
    const { window } = root.windows.probe()
    assert.deepEqual([window?.is_waiting, window?.changes, window?.seconds_left], [true, 0, 3600])
  })

  it('that waits has its time as soon as it is given some', async () => {
    await root.open(60, 'first_change')
    await root.clock.advance(3_590_000)
    await root.windows.extend({ window_id: ID, seconds: 60 })
    const { window } = root.windows.probe()
    assert.deepEqual([window?.is_waiting, window?.seconds_left], [false, 60])
  })

  it('gets more time, and never more than an hour after the last change', async () => {
    await root.open(15)
    const extend = async (seconds: number): Promise<number | undefined> =>
      (await root.handlers['window.extend']({ window_id: ID, seconds })).window?.seconds_left
    assert.equal(await extend(100), 100)
    await root.clock.advance(60_000)
    assert.equal(await extend(WINDOW_SECONDS.most), 3540)
    await root.tunnel(tunnel, changed)
    assert.equal(root.windows.probe().window?.seconds_left, 3540)
    assert.equal(await extend(WINDOW_SECONDS.most), 3600)
  })

  it('is one at a time, and the same one may be opened twice', async () => {
    await root.open(60)
    assert.equal((await root.open(60)).window?.window_id, ID)
    await assert.rejects(root.handlers['window.open']({ window_id: OTHER_ID, seconds: 60 }), { code: 'window_open' })
  })

  it('says of one that is over how it ended, and of another that it is not open', async () => {
    await root.open(60)
    for (const method of ['window.confirm', 'window.cancel'] as const)
      await assert.rejects(root.handlers[method]({ window_id: OTHER_ID }), { code: 'window_over' })
    await assert.rejects(root.handlers['window.extend']({ window_id: OTHER_ID, seconds: 60 }), { code: 'window_over' })
    await root.clock.advance(60_000)
    await settled(root)
    await assert.rejects(root.handlers['window.confirm']({ window_id: ID }), {
      code: 'window_over',
      message: /taken back already \(expired\)/,
    })
  })

  it('that was taken back keeps every change from beginning until it is forgotten', async () => {
    await root.open()
    await change()
    await root.handlers['window.cancel']({ window_id: ID })
    const refused = { code: 'window_ended' }
    await assert.rejects(root.tunnel(tunnel, changed), refused)
    await assert.rejects(root.rules([one], [moved]), refused)
    await assert.rejects(root.handlers['ruleset.forget']({ route_rule_ids: [1] }), refused)
    await assert.rejects(root.forward(true), refused)
    await assert.rejects(root.handlers['window.open']({ window_id: OTHER_ID, seconds: 60 }), refused)
    await root.start()
    await assert.rejects(root.tunnel(tunnel, changed), refused)
    await root.handlers['window.forget']({ window_id: OTHER_ID })
    await assert.rejects(root.tunnel(tunnel, changed), refused)
    assert.deepEqual(await root.handlers['window.forget']({ window_id: ID }), { window: null, ended: null })
    assert.equal((await root.tunnel(tunnel, changed)).outcome, 'applied')
  })

  it('holds nothing of a change that was refused', async () => {
    await root.open(60)
    await root.clock.advance(30_000)
    await assert.rejects(root.tunnel(changed, tunnel), { code: 'stale_state' })
    const { window } = root.windows.probe()
    assert.deepEqual([window?.changes, window?.tunnels, window?.seconds_left], [0, [], 30])
  })

  it('notifies every listener when it opens, changes and ends', async () => {
    const reported: string[] = []
    root.windows.watch(() => reported.push(root.windows.probe().window?.state ?? 'none'))
    await root.open()
    await root.rules([one], [moved])
    await root.handlers['window.cancel']({ window_id: ID })
    assert.deepEqual([reported[0], reported.at(-2), reported.at(-1)], ['open', 'ending', 'none'])
  })

  it('brings back the foreign routes through a link that a later change in it makes again', async () => {
    await root.open()
    const wider = exampleTunnel({ mtu: 1400 })
    await root.tunnel(tunnel, wider)
    await root.tunnel(wider, null)
    await root.handlers['window.cancel']({ window_id: ID })
    assert.equal(root.picture(), opening)
  })

  it('gives two tunnels back the ends that they have exchanged', async () => {
    const aside = exampleTunnel({ remote_endpoint: '198.51.100.78' })
    await root.tunnel(null, elsewhere)
    const before = root.picture()
    await root.open()
    await root.tunnel(tunnel, aside)
    await root.tunnel(elsewhere, exampleTunnel({ addresses: ELSEWHERE }, 'gre-b-2'))
    await root.tunnel(aside, exampleTunnel({ remote_endpoint: '198.51.100.77' }))
    await root.handlers['window.cancel']({ window_id: ID })
    assert.equal(root.picture(), before)
  })
})

/** The time of a window is over, and its turn has come. */
const settled = async (root: Root): Promise<void> => {
  for (let turns = 0; turns < 200 && root.windows.probe().window !== null; turns += 1)
    await new Promise((resolve) => setTimeout(resolve, 5))
}
