// The law of the totals of a rule on the fast path: whatever a counter and connection tracking both counted is in the
// total once, what neither let pass is not in it, and the total never falls.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CounterAccumulator } from '@panel/web-daemon/features/traffic/accumulator.ts'

const PACKET = 100
const bytes = (tx_bytes: number) => ({ tx_bytes, tx_packets: tx_bytes / PACKET, rx_bytes: 0, rx_packets: 0 })

/** The kernel as it counts, and the panel that reads it. */
class Counted {
  accumulator = new CounterAccumulator()
  /** What went through. */
  through = 0
  #counter = 0
  #twice = 0
  #tracked = 0
  /** Bytes of flows whose end event is still on its way. */
  #unheard = 0
  #table = 1
  #boot = 1

  slow(): void {
    this.#counter += PACKET
    this.#twice += PACKET
    this.#tracked += PACKET
    this.through += PACKET
  }
  quick(): void {
    this.#tracked += PACKET
    this.through += PACKET
  }
  /** Seen by the chains and by connection tracking, and then without a way to go. */
  dropped(): void {
    this.#twice += PACKET
    this.#tracked += PACKET
  }
  /** Adds a flow that began before its rule was on the fast path. */
  earlier(): void {
    this.#counter += PACKET
    this.through += PACKET
  }
  ending(): void {
    this.#unheard = Math.min(this.#tracked, PACKET)
  }
  read(): void {
    const before = this.accumulator.total.tx_bytes
    this.accumulator.read(bytes(this.#counter), `${this.#boot}.${this.#table}`, bytes(this.#twice))
    this.accumulator.readFast(bytes(this.#tracked - this.#unheard), `${this.#boot}`)
    this.#unheard = 0
    assert.ok(this.accumulator.total.tx_bytes >= before)
  }
  /** The rule goes, and its counters with it. */
  remove(): void {
    this.accumulator.readLast(bytes(this.#counter), bytes(this.#twice))
    this.#counter = 0
    this.#twice = 0
  }
  /** Others take the table away; a last reading of counters says nothing of the table that they were in. */
  flush(): void {
    this.read()
    this.#table += 1
    this.#counter = 0
    this.#twice = 0
    this.read()
  }
  reboot(): void {
    this.flush()
    this.#boot += 1
    this.#tracked = 0
    this.read()
  }
  restart(): void {
    this.accumulator = new CounterAccumulator(this.accumulator.sum)
  }
}

const ACTIONS = [
  'slow',
  'quick',
  'dropped',
  'earlier',
  'ending',
  'read',
  'remove',
  'flush',
  'reboot',
  'restart',
] as const

describe('The totals of a rule on the fast path', () => {
  it('are what went through, whatever is read when, removed, loaded again or restarted', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ACTIONS), { maxLength: 60 }), (actions) => {
        const counted = new Counted()
        for (const action of actions) counted[action]()
        counted.read()
        counted.read()
        assert.equal(counted.accumulator.total.tx_bytes, counted.through)
      }),
      { numRuns: 500 },
    )
  })
})
