// What a preview knows of the rules of other software: the last answer, until they may have changed (decisions.md, S26).
import assert from 'node:assert/strict'
import { LOST, RULESET_CHANGED } from '@panel/shared/events/model.ts'
import { nothingForeign, type ForeignFound } from '@panel/shared/foreign/model.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { LastForeign } from '@panel/web-daemon/features/forwarding/last-foreign.ts'

describe('The last reading of the rules of other software', () => {
  const answers: ((found: ForeignFound) => void)[] = []
  const request = ((_method: string) => new Promise((resolve) => answers.push(resolve))) as unknown as Writer
  let last: LastForeign
  beforeEach(() => {
    answers.length = 0
    last = new LastForeign()
  })
  const begin = (method: 'netfilter.probe' | 'forwarding.probe' = 'netfilter.probe'): Promise<unknown> =>
    last.keeping(request)(method, {})
  const answer = (detail: string): void => answers.shift()?.(nothingForeign(detail))

  it('is kept, until they change or events may have been missed', async () => {
    for (const event of [RULESET_CHANGED, LOST]) {
      assert.equal(last.found, null)
      const reading = begin()
      answer('one')
      assert.deepEqual(await reading, nothingForeign('one'))
      assert.deepEqual(last.found, nothingForeign('one'))
      last.onHostEvents([{ ...RULESET_CHANGED, subject: 'address' }])
      assert.notEqual(last.found, null)
      last.onHostEvents([event])
    }
  })

  it('is not kept if they change meanwhile, since it may be older than the change', async () => {
    const before = begin()
    last.onHostEvents([RULESET_CHANGED])
    answer('before')
    await before
    assert.equal(last.found, null)
    const after = begin()
    answer('after')
    await after
    assert.deepEqual(last.found, nothingForeign('after'))
  })

  it('is nothing else that root answers', async () => {
    const reading = begin('forwarding.probe')
    answer('x')
    await reading
    assert.equal(last.found, null)
  })
})
