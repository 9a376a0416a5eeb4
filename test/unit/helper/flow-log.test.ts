// What has ended on the fast path, as it is written down: a helper that is killed at any point loses nothing of it and
// counts nothing of it twice.
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FlowLog } from '@panel/root-helper/kernel/conntrack/flow-log.ts'
import type { FastFlow } from '@panel/root-helper/netlink/conntrack.ts'

const flow = (key: string, route_rule_id = 1): FastFlow => ({
  key,
  route_rule_id,
  tx_bytes: 100,
  tx_packets: 1,
  rx_bytes: 30,
  rx_packets: 2,
})

describe('What has ended on the fast path', () => {
  let folder: string
  let path: string
  const opened = (boot = 'boot'): FlowLog => new FlowLog(path, boot)
  const txOf = ({ sums }: FlowLog, id = 1): number => sums.get(id)?.tx_bytes ?? 0
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'panel-flows-'))
    path = join(folder, 'ended')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is there again for the next helper, under the same epoch', () => {
    const log = opened()
    log.ended(flow('a'))
    log.ended(flow('b'))
    log.ended(flow('c', 2))
    log.close()
    const next = opened()
    assert.deepEqual([txOf(next), txOf(next, 2), next.head.epoch], [200, 100, log.head.epoch])
  })

  it('knows the event that was written down and not taken, however often a helper ends there', () => {
    opened().ended(flow('a'))
    opened().close()
    const next = opened()
    assert.equal(next.isWritten(flow('a')), true)
    assert.equal(txOf(next), 100)
  })

  it('takes only the first event that waits for that one: later ones may be alike', () => {
    opened().ended(flow('a'))
    const next = opened()
    assert.equal(next.isWritten(flow('b')), false)
    assert.equal(next.isWritten(flow('a')), false)
  })

  it('is without a line that a kill cut short, since its event still waits', () => {
    opened().ended(flow('a'))
    appendFileSync(path, '["ended",{"key":"b","route_r')
    const next = opened()
    assert.equal(txOf(next), 100)
    assert.equal(next.isWritten(flow('a')), true)
  })

  it('keeps sums in the place of many lines', () => {
    const log = opened()
    for (let at = 0; at < 20_100; at += 1) log.ended(flow(`${at}`))
    assert.equal(txOf(log), 2_010_000)
    log.close()
    assert.ok(readFileSync(path, 'utf8').length < 20_000)
    assert.equal(txOf(opened()), 2_010_000)
  })

  it('begins from nothing with another boot, which has forgotten every flow', () => {
    const log = opened()
    log.ended(flow('a'))
    const next = opened('another')
    assert.equal(txOf(next), 0)
    assert.notEqual(next.head.epoch, log.head.epoch)
  })

  it('is set aside where it cannot be made out, and begins from nothing', () => {
    opened().ended(flow('a'))
    appendFileSync(path, 'noise\n')
    const next = opened()
    assert.equal(txOf(next), 0)
    assert.match(readFileSync(`${path}.damaged`, 'utf8'), /noise/)
  })

  it('counts what ended unseen as it was last seen, and remembers how many that were', () => {
    const log = opened()
    log.lose(flow('a'))
    log.lose(flow('b'))
    assert.deepEqual([txOf(opened()), opened().lost], [200, 2])
  })
})
