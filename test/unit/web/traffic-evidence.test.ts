// What packets show of a rule, reading by reading.
import assert from 'node:assert/strict'
import type { FlowsFound } from '@panel/shared/ruleset/connection.ts'
import { isOneWay, TrafficEvidence } from '@panel/web-daemon/features/traffic/evidence.ts'

const packets = (tx_packets: number, rx_packets: number) => ({ tx_packets, rx_packets, tx_bytes: 0, rx_bytes: 0 })
const flows = (fields: Partial<FlowsFound['flows'][number]> = {}): FlowsFound => ({
  is_readable: true,
  detail: '',
  epoch: 'one',
  flows: [{ route_rule_id: 1, connections: 1, begun: 1, answered: 0, waiting: 0, half_open: 0, ...fields }],
})

describe('What packets show of a rule', () => {
  let evidence: TrafficEvidence
  let at = 0
  beforeEach(() => {
    evidence = new TrafficEvidence()
    at = 0
  })
  const read = (tx = 0, rx = 0): number[] =>
    evidence.take(tx + rx === 0 ? new Map() : new Map([[1, packets(tx, rx)]]), (at += 1))

  it('is that nothing comes back once a second reading has found it so, and no longer once something does', () => {
    assert.deepEqual([read(1), isOneWay(evidence.unanswered(1))], [[], false])
    assert.deepEqual([read(), isOneWay(evidence.unanswered(1))], [[], false], 'a single packet may be lost')
    assert.deepEqual([read(2), isOneWay(evidence.unanswered(1))], [[1], true])
    assert.deepEqual(evidence.unanswered(1), { packets: 3, readings: 3 })
    assert.deepEqual([read(), isOneWay(evidence.unanswered(1))], [[], true])
    assert.deepEqual([read(1, 1), isOneWay(evidence.unanswered(1))], [[1], false])
  })

  it('is not that nothing comes back where the answer is counted by the next reading', () => {
    read(5)
    assert.deepEqual([read(0, 5), isOneWay(evidence.unanswered(1))], [[], false])
  })

  it('is that it carries where packets went both ways and a client has taken part', () => {
    assert.deepEqual([read(3, 3), evidence.carried(1)], [[], null], 'a refusal is an answer, too')
    evidence.count(flows())
    assert.deepEqual([read(3, 3), evidence.carried(1)], [[1], { at: 2, isNow: true }])
    assert.deepEqual([read(3, 3), evidence.carried(1)], [[], { at: 3, isNow: true }], 'that is no news')
    read()
    assert.deepEqual(evidence.carried(1), { at: 3, isNow: false })
    evidence.forget([1])
    assert.equal(evidence.carried(1), null)
  })

  it('is that it carried where a connection was over before it was counted', () => {
    evidence.count({ ...flows(), flows: [] })
    evidence.count(flows({ connections: 0, answered: 1 }))
    read(4, 4)
    assert.notEqual(evidence.carried(1), null)
  })

  it('is that clients complete no connection, once two counts have found none that they do', () => {
    const stuck = flows({ connections: 2, waiting: 2, half_open: 1 })
    assert.deepEqual([evidence.count(stuck), evidence.isStuck(1)], [[], false])
    assert.deepEqual([evidence.count(stuck), evidence.isStuck(1)], [[1], true])
    assert.deepEqual([evidence.count(stuck), evidence.isStuck(1)], [[], true])
    assert.deepEqual([evidence.count(flows()), evidence.isStuck(1)], [[1], false])
    evidence.count(null)
    assert.equal(evidence.isStuck(1), false)
  })
})
