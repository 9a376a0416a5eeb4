// A noun that root can change is one object: one that nobody has thought of is applied, verified, put back and
// recovered like the others.
import { verbatim } from '@panel/shared/messages/message.ts'
import assert from 'node:assert/strict'
import { sameState } from '@panel/shared/change/change.ts'
import { compareFacts } from '@panel/shared/change/check.ts'
import { recover } from '@panel/root-helper/recover.ts'
import { RefusedError } from '@panel/root-helper/refused.ts'
import type { Subject } from '@panel/root-helper/subject.ts'
import { Transaction } from '@panel/root-helper/transaction.ts'
import { memoryJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

/** How many bytes a day a source may send: a made-up noun. */
interface Quota {
  readonly bytes: number
}

interface QuotaStep {
  readonly kind: 'quota_set'
  readonly bytes: number
}

/** `host.bytes` is what a kernel would hold; 0 is no quota. */
function quotaSubject(host: { bytes: number; refuses: number }): Subject<Quota, { state: Quota | null }, QuotaStep> {
  return {
    noun: 'quota',
    canonical: (state) => (state && state.bytes > 0 ? { bytes: Math.trunc(state.bytes) } : null),
    probe: async () => ({ state: host.bytes > 0 ? { bytes: host.bytes } : null }),
    plan: (found, wanted) => (sameState(found, wanted) ? [] : [{ kind: 'quota_set', bytes: wanted?.bytes ?? 0 }]),
    check: (_change, wanted, found) =>
      compareFacts(
        'quota',
        [{ name: 'bytes', value: `${wanted?.bytes ?? 'none'}` }],
        [{ name: 'bytes', value: `${found?.bytes ?? 'none'}` }],
      ),
    allow: async ({ after }) => {
      if ((after?.bytes ?? 0) > 1000) throw new RefusedError('unsupported', verbatim('More than 1000 bytes'))
    },
    rehearse: async () => undefined,
    execute: async ({ bytes }) => {
      host.bytes = bytes
      if (host.refuses-- > 0) throw new Error('refused, and done all the same')
    },
    remedy: () => ['Set the quota by hand'],
  }
}

describe('A noun of root', () => {
  quietly()
  const set = { before: null, after: { bytes: 7.5 } }
  const open = (refuses = 0) => {
    const host = { bytes: 0, refuses }
    const journal = memoryJournal()
    return { host, journal, transaction: new Transaction(quotaSubject(host), journal) }
  }

  it('is applied, and verified before and after', async () => {
    const { host, transaction, journal } = open()
    assert.equal((await transaction.verify(set)).ok, false)
    assert.equal((await transaction.apply(set)).outcome, 'applied')
    assert.equal((await transaction.verify(set)).ok, true)
    assert.equal(host.bytes, 7)
    assert.equal(await journal.read(), null)
  })

  it('is put back where a step fails, and stuck where that fails too', async () => {
    const once = open(1)
    assert.equal((await once.transaction.apply(set)).outcome, 'restored')
    assert.equal(once.host.bytes, 0)
    const twice = open(2)
    const { outcome, remediation } = await twice.transaction.apply(set)
    assert.equal(outcome, 'stuck')
    assert.deepEqual(remediation, ['Set the quota by hand'])
    assert.equal((await twice.journal.read())?.noun, 'quota')
  })

  it('is refused where the host holds something else, and where it is not allowed', async () => {
    const { transaction } = open()
    await assert.rejects(transaction.apply({ before: { bytes: 3 }, after: null }), { code: 'stale_state' })
    await assert.rejects(transaction.apply({ before: null, after: { bytes: 1001 } }), { code: 'unsupported' })
  })

  it('is put back by the next helper where this one was killed in it', async () => {
    const { host, journal, transaction } = open()
    await journal.begin('quota', set)
    host.bytes = 7
    await recover(journal, [transaction])
    assert.equal(host.bytes, 0)
    assert.equal(await journal.read(), null)
  })
})
