// A reader for one piece of work: the host stays the same meanwhile, unless that work itself changes it.
import assert from 'node:assert/strict'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { isReadingOnce, readingOnce, readOnce } from '@panel/web-daemon/platform/helper/reading-once.ts'

describe('A reader that reads once', () => {
  let sent: string[]
  let fails: boolean
  let request: Writer
  beforeEach(() => {
    sent = []
    fails = false
    request = readingOnce((async (method: string, params: object) => {
      sent.push(`${method} ${JSON.stringify(params)}`)
      if (fails) throw new Error('The helper is away')
      return { number: sent.length }
    }) as unknown as Writer)
  })
  const probe = (from_id = 0) => request('ruleset.probe', { route_rule_ids: [], from_id })

  it('sends the same request once, also where the first is not answered yet, and another one by itself', async () => {
    const [first, second] = await Promise.all([probe(), probe()])
    assert.equal(first, second)
    assert.equal(await probe(), first)
    await probe(7)
    assert.equal(sent.length, 2)
  })

  it('reads again once the host was changed, whether that worked or not', async () => {
    for (const isFailing of [false, true]) {
      await probe()
      fails = isFailing
      await request('ruleset.apply', { before: null, after: null }).catch(() => undefined)
      fails = false
    }
    await probe()
    assert.deepEqual(
      sent.map((one) => one.split(' ')[0]),
      ['ruleset.probe', 'ruleset.apply', 'ruleset.probe', 'ruleset.apply', 'ruleset.probe'],
    )
  })

  it('sends a request again that was not answered', async () => {
    fails = true
    await assert.rejects(probe())
    fails = false
    await probe()
    assert.equal(sent.length, 2)
  })

  it('keeps what takes many reads, as long as it keeps them, and any other reader keeps nothing', async () => {
    let made = 0
    const make = async (): Promise<number> => ++made
    assert.deepEqual([await readOnce(request, 'one', make), await readOnce(request, 'one', make)], [1, 1])
    await request('ruleset.apply', { before: null, after: null })
    assert.equal(await readOnce(request, 'one', make), 2)
    const plain = (async () => ({})) as unknown as Writer
    assert.deepEqual([await readOnce(plain, 'one', make), await readOnce(plain, 'one', make)], [3, 4])
    assert.deepEqual([isReadingOnce(request), isReadingOnce(plain)], [true, false])
  })
})
