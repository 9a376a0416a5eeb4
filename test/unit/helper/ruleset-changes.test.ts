// Changes of nftables by somebody else are told, and those of the helper itself are not, however the two fall together.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { KernelError } from '@panel/root-helper/kernel/facilities.ts'
import { RulesetChanges } from '@panel/root-helper/kernel/ruleset-changes.ts'

describe('The watch of the ruleset', () => {
  let generation: number
  let isSilent: boolean
  let asked: number
  let told: number
  let changes: RulesetChanges
  let end: () => void
  beforeEach(async () => {
    ;[generation, isSilent, asked, told] = [7, false, 0, 0]
    changes = new RulesetChanges(async () => {
      asked += 1
      if (isSilent) throw new KernelError('EPERM', 'no')
      return generation
    }, 1)
    end = changes.watch(() => (told += 1))
    await looked()
  })
  afterEach(() => end())
  /** Two more looks have ended, so one has begun and ended since. */
  const looked = async (): Promise<void> => {
    for (const before = asked; asked < before + 3; ) await sleep(1)
  }
  const commit = async (): Promise<void> => void (generation += 1)

  it('tells of a change by somebody else, once', async () => {
    await commit()
    await looked()
    await looked()
    assert.equal(told, 1)
  })

  it('does not tell of a change of our own, nor of one that was refused', async () => {
    await changes.ours(commit)
    await assert.rejects(changes.ours(async () => Promise.reject(new KernelError('EINVAL', 'refused'))))
    await looked()
    assert.equal(told, 0)
  })

  it('tells where somebody else has changed something beside a change of our own', async () => {
    await changes.ours(async () => {
      await commit()
      await commit()
    })
    await looked()
    assert.equal(told, 1)
  })

  it('does its work where the kernel does not say, and goes on when it does', async () => {
    isSilent = true
    await looked()
    assert.equal(await changes.ours(async () => 5), 5)
    isSilent = false
    await looked()
    await commit()
    await looked()
    assert.equal(told, 1)
  })

  it('asks for nothing after its end', async () => {
    end()
    await sleep(5)
    const before = asked
    await sleep(20)
    assert.equal(asked, before)
  })
})
