// Rules of other software that take what a relay rule needs: the mark of its connections, and what it listens for.
import assert from 'node:assert/strict'
import { markWritersIn } from '@panel/shared/foreign/mark-writers.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { readRule } from '@panel/shared/foreign/read-rule.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { takenBy } from '@panel/shared/foreign/relay-block.ts'
import { AROUND, relay } from '../../support/relay-verdict.ts'

const FORWARD = { family: 'inet', table: 't', chain: 'forward' }
const match = (left: object, right: unknown, op = '=='): object => ({ match: { op, left, right } })
const port = (right: unknown): object => match({ payload: { protocol: 'tcp', field: 'dport' } }, right)
const to = (right: unknown): object => match({ payload: { protocol: 'ip', field: 'daddr' } }, right)

describe('A rule of other software that writes the mark of connections', () => {
  const MARK = { mangle: { key: { ct: { key: 'mark' } }, value: 1 } }
  const NEW = match({ ct: { key: 'state' } }, 'new', 'in')
  const inChain = (hook: string, prio: number, ...expr: object[]): ForeignFound =>
    readForeign(
      JSON.stringify({
        nftables: [
          { chain: { ...FORWARD, name: 'forward', type: 'filter', hook, prio, policy: 'accept' } },
          { rule: { ...FORWARD, handle: 1, expr } },
        ],
      }),
      '',
    )
  const describeWriters = (foreign: ForeignFound): string[] =>
    markWritersIn(foreign)(relay(), AROUND).map(
      ({ is_after, is_certain }) => `${is_after ? 'after' : 'before'} ${is_certain ? 'surely' : 'perhaps'}`,
    )

  it('takes the panel’s mark away behind the translation, and before it unless it heeds new connections alone', () => {
    assert.deepEqual(describeWriters(inChain('prerouting', -90, MARK)), ['after surely'])
    assert.deepEqual(describeWriters(inChain('forward', 0, MARK)), ['after surely'])
    assert.deepEqual(describeWriters(inChain('prerouting', -150, MARK)), ['after surely'])
    assert.deepEqual(describeWriters(inChain('prerouting', -150, NEW, MARK)), ['before surely'])
    assert.deepEqual(describeWriters(inChain('forward', 0, { limit: { rate: 1 } }, MARK)), ['after perhaps'])
  })

  it('does nothing to a rule whose packets it does not match, and is known where iptables wrote it', () => {
    assert.deepEqual(describeWriters(inChain('forward', 0, port(9999), MARK)), [])
    assert.deepEqual(
      describeWriters(inChain('forward', 0, { mangle: { key: { meta: { key: 'mark' } }, value: 1 } })),
      [],
    )
    for (const text of ['tcp dport 8443 counter packets 0 bytes 0 xt target "CONNMARK"', 'ct mark set meta mark'])
      assert.equal(readRule([{ xt: null }], text).effects.includes('connection_mark'), true, text)
  })
})

describe('A rule of other software that translates a destination', () => {
  const taken = (prio: number, ...expr: object[]): boolean[] =>
    takenBy(
      relay(),
      readForeign(
        JSON.stringify({
          nftables: [
            { chain: { ...FORWARD, name: 'forward', type: 'nat', hook: 'prerouting', prio, policy: 'accept' } },
            { rule: { ...FORWARD, handle: 1, expr } },
          ],
        }),
        '',
      ),
    ).map(({ is_certain }) => is_certain)
  const DNAT = { dnat: { addr: '10.9.9.9' } }

  it('surely takes what a rule listens for where it stands before the panel’s table, and else may', () => {
    assert.deepEqual(taken(-110, to('192.0.2.1'), port(443), DNAT), [true])
    assert.deepEqual(taken(-100, to('192.0.2.1'), port(443), DNAT), [false])
    assert.deepEqual(taken(-110, match({ payload: { protocol: 'ip', field: 'saddr' } }, '10.1.1.1'), port(443), DNAT), [
      false,
    ])
    assert.deepEqual(taken(-110, to('192.0.2.7'), port(443), DNAT), [])
    assert.deepEqual(taken(-90, to('192.0.2.1'), port(443), DNAT), [])
  })
})
