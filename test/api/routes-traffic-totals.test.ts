// The totals of the panel over restarts: without a byte counted twice or lost (reference.md, traffic; decisions.md, F18
// to F20, F23).
import assert from 'node:assert/strict'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'
import type { RouteTrafficAnswer } from '@panel/shared/api/routes/traffic.ts'
import { openStore, IN_MEMORY } from '@panel/web-daemon/app/store.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { Traffic } from '@panel/web-daemon/features/traffic/traffic.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { settingsWith } from '../support/settings.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, madeRoute } from './support/routes.ts'

describe('The totals of the panel', () => {
  it('go on where they were after the daemon stops or dies, without a byte twice or lost', async () => {
    const [db, kernel] = [await openStore(IN_MEMORY), new FakeKernel()]
    const panel = await startPanel({ db, request: requestThrough(inProcessHelper(kernel).request) })
    await madeRoute(await panel.setUp())
    const again = (): Traffic =>
      new Traffic({
        db,
        request: requestThrough(inProcessHelper(kernel).request),
        now: () => new Date(),
        monotonic: () => performance.now(),
        settings: settingsWith(),
        logger: makeLogger({ write: () => undefined }),
        publish: panel.bus.publish,
      })
    const total = async (traffic: Traffic): Promise<number> => (await traffic.of(1)).total.tx_bytes
    kernel.rulesets.relay(1, { tx_bytes: 100, tx_packets: 1 })
    const first = again()
    await first.sample()
    await first.save()
    kernel.rulesets.relay(1, { tx_bytes: 20, tx_packets: 1 })
    await first.sample()
    const afterDeath = again()
    await afterDeath.sample()
    assert.equal(await total(afterDeath), 120)
    await afterDeath.stop()
    const afterStop = again()
    await afterStop.sample()
    assert.equal(await total(afterStop), 120)
    await panel.close()
  })

  it('count nothing twice where a sample overlaps a change that takes the counters away', async () => {
    const kernel = new FakeKernel()
    const helper = requestThrough(inProcessHelper(kernel).request)
    let held: (() => void) | null = null
    let isHeld = false
    const request = (async (method: 'ruleset.counters', params: never) => {
      const answer = await helper(method, params)
      if (method === 'ruleset.counters' && isHeld) await new Promise<void>((resolve) => (held = resolve))
      return answer
    }) as Writer
    const panel = await startPanel({ request })
    const client = await panel.setUp()
    await madeRoute(client)
    kernel.rulesets.relay(1, { tx_bytes: 100, tx_packets: 1 })
    isHeld = true
    const sampling = panel.traffic.sample()
    while (!held) await new Promise((resolve) => setImmediate(resolve))
    await actOnRoute(client, 1, 'disable')
    isHeld = false
    ;(held as () => void)()
    await sampling
    assert.equal((await panel.traffic.of(1)).total.tx_bytes, 100)
    await panel.close()
  })
})

describe('A sample', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await madeRoute(client)
  })
  afterEach(() => panel.close())
  const relay = (tx_bytes: number): void => panel.kernel.rulesets.relay(1, { tx_bytes, tx_packets: 1 })

  it('says that a counter began again for as long as it stands below the sum, whichever program zeroed it', async () => {
    const isReset = async (): Promise<boolean> => {
      panel.clock.advance(1)
      await panel.traffic.sample()
      return (await client.get<RouteTrafficAnswer>('/routes/1/traffic')).body.traffic.reset_detected
    }
    relay(1000)
    assert.equal(await isReset(), false)
    const { counted } = panel.kernel.rulesets
    counted.set(1, { route_rule_id: 1, tx_bytes: 0, tx_packets: 0, rx_bytes: 0, rx_packets: 0 })
    relay(30)
    assert.deepEqual([await isReset(), await isReset()], [true, true])
  })

  it('says so too where disabling and enabling the rule zeroed its counter', async () => {
    relay(1000)
    for (const action of ['disable', 'enable'] as const) await actOnRoute(client, 1, action)
    relay(30)
    await panel.traffic.sample()
    assert.equal((await client.get<RouteTrafficAnswer>('/routes/1/traffic')).body.traffic.reset_detected, true)
  })

  it('is measured by a clock that nobody sets: ten years ahead or back make none of ten years', async () => {
    await panel.traffic.sample()
    for (const years of [10, -10]) {
      panel.clock.set(years * 365 * 86_400)
      panel.clock.advance(2)
      relay(1000)
      await panel.traffic.sample()
      const rate = await panel.traffic.rate(1)
      assert.deepEqual(
        [Math.round(panel.traffic.lastSeconds ?? 0), Math.round((rate?.tx_bytes ?? 0) / 10)],
        [2, 50],
        `${years} years`,
      )
    }
  })
})

describe('Samples of very many rules', () => {
  const samplesOf = async (rules: number): Promise<{ samples: number; total: number }> => {
    let [elapsed, samples, bytes] = [0, 0, 0]
    const counters = (): RelayCounters[] =>
      Array.from({ length: rules }, (_, at) => ({
        ...{ route_rule_id: at + 1, tx_packets: bytes, tx_bytes: bytes, rx_bytes: 0, rx_packets: 0 },
      }))
    const traffic = new Traffic({
      db: await openStore(IN_MEMORY),
      request: (async () => {
        samples += 1
        return { is_readable: true, detail: '', epoch: '1.1', counters: counters(), next_id: null }
      }) as unknown as Writer,
      now: () => new Date(),
      monotonic: () => elapsed,
      settings: settingsWith(),
      logger: makeLogger({ write: () => undefined }),
      publish: () => undefined,
    })
    for (let second = 0; second < 20; second += 1) {
      bytes += 10
      await traffic.sampleWhenDue()
      elapsed += 1000
    }
    const many = samples
    await traffic.sample()
    return { samples: many, total: (await traffic.of(1)).total.tx_bytes }
  }

  it('are taken as often as the settings say up to 1,000 rules, and none of the traffic is lost', async () =>
    assert.deepEqual(await samplesOf(1000), { samples: 20, total: 200 }))

  it('are taken less often of more rules, since reading their counters takes long, and none of the traffic is lost', async () =>
    assert.deepEqual(await samplesOf(10_000), { samples: 2, total: 200 }))
})
