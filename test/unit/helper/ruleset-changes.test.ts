// Changes of nftables by another program are reported, and those of the helper itself are not, however the two fall
// together.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { Generations } from '@panel/root-helper/kernel/nft/generations.ts'
import { RulesetChanges } from '@panel/root-helper/kernel/nft/ruleset-changes.ts'

describe('The watch of the ruleset', () => {
  let generation: number
  let isSilent: boolean
  let requests: number
  let reported: number
  let generations: Generations
  let end: () => void
  beforeEach(async () => {
    ;[generation, isSilent, requests, reported] = [7, false, 0, 0]
    generations = new Generations(async () => {
      requests += 1
      if (isSilent) throw new KernelError('EPERM', 'no')
      return generation
    })
    end = new RulesetChanges(() => generations.ofOthers(), 1).watch(() => (reported += 1))
    await looked()
  })
  afterEach(() => end())
  /** Two more looks have ended, so one has begun and ended since. */
  const looked = async (): Promise<void> => {
    for (const before = requests; requests < before + 3;) await sleep(1)
  }
  const commit = async (): Promise<void> => void (generation += 1)

  it('reports a foreign change once', async () => {
    await commit()
    await looked()
    await looked()
    assert.equal(reported, 1)
  })

  it('does not tell of a change of our own, however long it takes, nor of one that was refused', async () => {
    await generations.during(async () => {
      await commit()
      await sleep(20)
      return 1
    })
    await generations.during(() => commit().then(() => 1))
    await assert.rejects(generations.during(async () => Promise.reject(new KernelError('EINVAL', 'refused'))))
    await looked()
    assert.equal(reported, 0)
  })

  it('does not tell of a table that was taken again behind a change of our own', async () => {
    await generations.during(async () => {
      await commit()
      await commit()
      return 2
    })
    await looked()
    assert.equal(reported, 0)
  })

  it('reports a foreign change beside one of our own', async () => {
    await generations.during(async () => {
      await commit()
      await commit()
      return 1
    })
    await looked()
    assert.equal(reported, 1)
  })

  it('goes on when the kernel says its number again', async () => {
    isSilent = true
    await looked()
    isSilent = false
    await looked()
    await commit()
    await looked()
    assert.equal(reported, 1)
  })

  it('asks for nothing after its end', async () => {
    end()
    await sleep(5)
    const before = requests
    await sleep(20)
    assert.equal(requests, before)
  })
})
