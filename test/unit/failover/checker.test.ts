// How checks are shared, spread and bounded.
import assert from 'node:assert/strict'
import { message } from '@panel/shared/messages/message.ts'
import { Checker, type CheckTarget, type Echo, type Subscription } from '@panel/web-daemon/features/failover/checker.ts'
import type { Sample } from '@panel/web-daemon/features/failover/judge.ts'
import { CheckHistory } from '@panel/web-daemon/features/failover/history.ts'
import { eventually } from '../../support/eventually.ts'

const target = (address: string, more: Partial<CheckTarget> = {}): CheckTarget => ({
  kind: 'tcp',
  address,
  port: 80,
  source: null,
  path: '/',
  host: '',
  expect_status: null,
  ...more,
})
const subscription = (id: number, of: CheckTarget, more: Partial<Subscription> = {}): Subscription => ({
  id,
  target: of,
  interval_ms: 500,
  timeout_ms: 400,
  ...more,
})
const UP: Sample = { outcome: 'success', reason: message('check.echo'), latency_ms: 300 }

describe('The checker of destinations', () => {
  let checker: Checker
  const ran: string[] = []
  const samples: [number, Sample['outcome']][] = []
  const echoes = new Map<number, Echo | null>()
  beforeEach(() => {
    for (const list of [ran, samples]) list.length = 0
    echoes.clear()
    checker = new Checker({
      run: async ({ address, port }) => {
        ran.push(`${address} ${port}`)
        return UP
      },
      echoes: { set: (id, echo) => void echoes.set(id, echo) },
      onSample: (id, { outcome }) => void samples.push([id, outcome]),
      random: () => 0,
    })
  })
  afterEach(() => checker.close())

  it('runs one check for all that share an address and a port, and tells each of it', async () => {
    for (const id of [1, 2, 3]) checker.put(subscription(id, target('10.0.0.1')))
    checker.put(subscription(4, target('10.0.0.1', { port: 81 })))
    assert.deepEqual(checker.size, { checks: 2, destinations: 4 })
    await eventually(() => samples.length >= 4)
    assert.deepEqual([...ran].sort(), ['10.0.0.1 80', '10.0.0.1 81'])
  })

  it('counts an answer as a failure for a check with a shorter time-out', async () => {
    checker.put(subscription(1, target('10.0.0.1'), { timeout_ms: 200 }))
    checker.put(subscription(2, target('10.0.0.1'), { timeout_ms: 400 }))
    await eventually(() => samples.length >= 2)
    assert.deepEqual(new Map(samples), new Map([[1, 'failure'], [2, 'success']])) // prettier-ignore
  })

  it('tells nothing of what is not checked any more', async () => {
    checker.put(subscription(1, target('10.0.0.1')))
    checker.put(subscription(2, target('10.0.0.2')))
    checker.remove(1)
    await eventually(() => samples.length >= 1)
    assert.ok(samples.every(([id]) => id === 2))
    assert.deepEqual(checker.size, { checks: 1, destinations: 1 })
  })

  it('begins no more than 500 checks a second, however many are due', async () => {
    for (let id = 1; id <= 200; id += 1) checker.put(subscription(id, target(`10.0.${id}.1`), { interval_ms: 60_000 }))
    const began = performance.now()
    await eventually(() => ran.length >= 200)
    // A slower check has kept within it.
    assert.ok(performance.now() - began > 300, `${performance.now() - began} ms`)
  })

  it('has root send echo requests at the shortest interval of those that share them', () => {
    checker.put(subscription(1, target('10.0.0.1', { kind: 'icmp', port: 0 }), { interval_ms: 2000 }))
    checker.put(subscription(2, target('10.0.0.1', { kind: 'icmp', port: 0 }), { interval_ms: 1000 }))
    assert.deepEqual([...echoes.values()].at(-1), {
      source: '',
      target: '10.0.0.1',
      interval_ms: 1000,
      timeout_ms: 400,
    })
    checker.remove(1)
    checker.remove(2)
    assert.equal([...echoes.values()].at(-1), null)
  })
})

describe('The history of the checks of a destination', () => {
  it('keeps the last sixty, the oldest first', () => {
    const history = new CheckHistory()
    for (let at = 1; at <= 70; at += 1) history.add(at % 2 === 0, at, at)
    const { all } = history
    assert.deepEqual([all.length, all[0], all.at(-1)], [
      60,
      { is_success: false, latency_ms: null },
      { is_success: true, latency_ms: 70 },
    ]) // prettier-ignore
    assert.deepEqual([history.lastAt, history.latency_ms], [70, 70])
  })
})
