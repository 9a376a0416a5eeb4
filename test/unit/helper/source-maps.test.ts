// How often the helper reads the source addresses of masqueraded packets back from the kernel: lists of rules are
// requested often, and there may be a thousand tunnels.
import assert from 'node:assert/strict'
import type { SetChange } from '@panel/shared/ruleset/nft/change.ts'
import { Generations } from '@panel/root-helper/kernel/nft/generations.ts'
import { SourceMaps } from '@panel/root-helper/kernel/nft/source-maps.ts'
import { encodeBytes, type FoundElement } from '@panel/root-helper/netlink/nftables/elements.ts'

const GRE = { interface_name: 'gre-a-1', address: '172.17.1.1' }

describe('The source addresses as they are read back', () => {
  let generation: number
  let reads: number
  let address: string
  let fails: boolean
  let generations: Generations
  let maps: SourceMaps
  beforeEach(() => {
    ;[generation, reads, address, fails] = [1, 0, GRE.address, false]
    generations = new Generations(async () => generation)
    const elements = async (name: string): Promise<FoundElement[]> => {
      reads += 1
      if (fails) throw new Error('Interrupted system call')
      const key = encodeBytes(['ifname'], GRE.interface_name)
      return name.endsWith('4') ? [{ key, value: address, isEnd: false }] : []
    }
    const change = async ({ elements: [one] }: { readonly elements: readonly SetChange[] }): Promise<void> => {
      generation += 1
      address = one?.come[0]?.[1] ?? ''
    }
    const keeping = async (work: () => Promise<number>): Promise<void> => void (await generations.during(work))
    maps = new SourceMaps({ elements, change }, { keeping }, generations)
  })

  const changeRules = (): Promise<unknown> =>
    generations.during(async () => {
      generation += 1
      return 1
    })
  const readsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = reads
    await work()
    return reads - before
  }

  it('are read once, of both families, and not again when the helper changes rules', async () => {
    assert.deepEqual(await maps.held(), [GRE])
    assert.equal(await readsOf(() => maps.held()), 0)
    await changeRules()
    assert.equal(await readsOf(() => maps.held()), 0)
    assert.equal(reads, 2)
  })

  it('are read again once others have changed the ruleset', async () => {
    await maps.held()
    generation += 1
    address = '172.17.1.9'
    assert.deepEqual(await maps.held(), [{ ...GRE, address: '172.17.1.9' }])
    assert.equal(await readsOf(() => maps.held()), 0)
  })

  it('are read again once the helper has put others', async () => {
    await maps.held()
    maps.follow([{ ...GRE, address: '172.17.1.9' }])
    await maps.put()
    assert.deepEqual(await maps.held(), [{ ...GRE, address: '172.17.1.9' }])
  })

  it('are read again after a failure, of which nothing is kept', async () => {
    fails = true
    await assert.rejects(maps.held(), /Interrupted/)
    fails = false
    assert.deepEqual(await maps.held(), [GRE])
  })
})
