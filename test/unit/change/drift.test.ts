// The background's comparison, over a noun that it does not know: what is news, what is reported once, and what a hint
// is about.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from '@panel/web-daemon/platform/context.ts'
import { DriftWatch, type DriftSource, type Observed } from '@panel/web-daemon/change/drift.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'

type Quota = Observed<number>

describe('A comparison of quotas in the background', () => {
  let found: Quota[]
  let scope: 'all' | number[]
  let isFailing: boolean
  let looks: { hints: string[]; unexpected: readonly number[] | null }[]
  let published: string[][]
  let first: string[][]
  let remediated: number[][]
  let log: string[]
  /** How long others take whose turn comes first, and correcting. */
  let others_ms: number
  let watch: DriftWatch<number, Quota, string>

  beforeEach(() => {
    found = [
      { key: 1, status: 'InSync' },
      { key: 2, status: 'Drifted' },
    ]
    scope = 'all'
    isFailing = false
    looks = []
    published = []
    first = []
    remediated = []
    log = []
    others_ms = 0
    const source: DriftSource<number, Quota, string> = {
      noun: 'quotas',
      look: async (hints, unexpected) => {
        looks.push({ hints: [...hints], unexpected })
        if (isFailing) throw new Error('the helper is away')
        return { items: found, scope }
      },
      isExpected: ({ status }) => status === 'InSync',
      publish: ({ changes }) =>
        void published.push(
          changes.map(({ from, to }) => `${(to ?? from)?.key ?? ''} ${from?.status ?? '-'} ${to?.status ?? '-'}`),
        ),
      publishFirst: (changes) => void first.push(changes.map(({ to }) => `${to?.key ?? ''} ${to?.status ?? '-'}`)),
      remediate: async (items) => {
        remediated.push(items.map(({ key }) => key))
        await sleep(others_ms)
      },
    }
    const deps = {
      db: {} as CommandContext['db'],
      inTurn: <T>(work: () => Promise<T>) => sleep(others_ms).then(work),
      now: () => new Date('2026-01-01T00:00:00Z'),
    }
    watch = new DriftWatch(deps, source, makeLogger({ write: (line) => void log.push(line) }))
  })

  it('begins with what is not as it should be', async () => {
    await watch.pass('start')
    assert.deepEqual(published, [['2 - Drifted']])
  })

  it('says once of everything how it was found first, for what was reported before', async () => {
    await watch.pass('start')
    await watch.pass('event')
    assert.deepEqual(first, [['1 InSync', '2 Drifted']])
  })

  it('says once what has changed, and when it is gone', async () => {
    await watch.pass('start')
    await watch.pass('event')
    found = [{ key: 1, status: 'Drifted' }]
    await watch.pass('event')
    assert.deepEqual(published.slice(1), [['1 InSync Drifted', '2 Drifted -']])
  })

  it('keeps what it was not looking at', async () => {
    await watch.pass('start')
    scope = [1]
    found = [{ key: 1, status: 'InSync' }]
    await watch.pass('event')
    assert.equal(published.length, 1)
    assert.equal(watch.noticed({ key: 2, status: 'Drifted' })?.because, 'start')
  })

  it('knows which pass first found a status', async () => {
    await watch.pass('start')
    found = [{ key: 1, status: 'Drifted' }]
    await watch.pass('period')
    await watch.pass('event')
    assert.equal(watch.noticed({ key: 1, status: 'Drifted' })?.because, 'period')
    assert.equal(watch.noticed({ key: 1, status: 'InSync' }), null)
  })

  it('hands on what was not as it should be, and has everything looked at corrected', async () => {
    await watch.pass('start')
    await watch.pass('event')
    assert.deepEqual(
      looks.map(({ unexpected }) => unexpected),
      [null, [2]],
    )
    assert.deepEqual(remediated, [
      [1, 2],
      [1, 2],
    ])
  })

  it('counts as looking neither waiting for its turn nor correcting, so that rest follows for neither', async () => {
    others_ms = 50
    const began = performance.now()
    const looked_ms = await watch.pass('change')
    assert.ok(looked_ms > 0)
    assert.ok(performance.now() - began - looked_ms > 90, `${looked_ms} ms`)
  })

  it('that fails is logged, and the next one has its hints', async () => {
    watch.hint('all')
    isFailing = true
    await watch.pass('event')
    assert.equal(watch.last(), null)
    assert.ok(log.some((line) => line.includes('the helper is away')))
    isFailing = false
    await watch.pass('event')
    assert.deepEqual(looks.at(-1)?.hints, ['all'])
  })
})
