// The bytes of an interface since the installation: over reboots, restarts of the panel and interfaces that are made
// again.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  firstTotal,
  nextTotal,
  type CounterReading,
  type TrafficTotal,
} from '@panel/web-daemon/features/metrics/traffic-total.ts'

const seen = (rx: number, tx: number, more: Partial<CounterReading> = {}): CounterReading => ({
  boot_id: 'one',
  interface_index: 4,
  rx_bytes_seen: rx,
  tx_bytes_seen: tx,
  seen_date: '2026-01-01T00:00:00.000Z',
  ...more,
})
const sums = ({ rx_bytes_since_install, tx_bytes_since_install }: TrafficTotal): number[] => [
  rx_bytes_since_install,
  tx_bytes_since_install,
]
const START = firstTotal(seen(1000, 500))

describe('the bytes since the installation', () => {
  it('begin at zero, whatever had passed before', () => {
    assert.deepEqual(sums(START), [0, 0])
  })

  it('grow by what the counter grows', () => {
    assert.deepEqual(sums(nextTotal(nextTotal(START, seen(1010, 505)), seen(1100, 505))), [100, 5])
  })

  it('survive a reboot, whose whole counter is new, even where it has overtaken the old one', () => {
    const before = nextTotal(START, seen(3000, 600))
    assert.deepEqual(sums(nextTotal(before, seen(70, 7, { boot_id: 'two' }))), [2070, 107])
    assert.deepEqual(sums(nextTotal(before, seen(5000, 900, { boot_id: 'two' }))), [7000, 1000])
  })

  it('take a counter that went back for a new one, in both directions', () => {
    assert.deepEqual(sums(nextTotal(START, seen(30, 800))), [30, 800])
  })

  it('take another interface of the name for a new one, where the kernel tells', () => {
    assert.deepEqual(sums(nextTotal(START, seen(1500, 700, { interface_index: 9 }))), [1500, 700])
    assert.deepEqual(sums(nextTotal(START, seen(1500, 700, { interface_index: 0 }))), [500, 200])
  })

  it('count an interface that came after the installation from its own beginning', () => {
    assert.deepEqual(sums(nextTotal(undefined, seen(40, 4))), [40, 4])
  })

  it('never shrink, and are what passed: over any traffic, reboots and restarts', () => {
    const step = fc.record({ rx: fc.nat(1e6), tx: fc.nat(1e6), isReboot: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let [rx, tx, boot, tally] = [1000, 500, 0, firstTotal(seen(1000, 500, { boot_id: '0' }))]
        let passed = 0
        for (const { rx: more, tx: other, isReboot } of steps) {
          if (isReboot) [rx, tx, boot] = [0, 0, boot + 1]
          ;[rx, tx, passed] = [rx + more, tx + other, passed + more]
          tally = nextTotal(tally, seen(rx, tx, { boot_id: String(boot) }))
          assert.equal(tally.rx_bytes_since_install, passed)
        }
      }),
    )
  })
})
