// The nft table of answers: when it is whole, and which hosts cannot have it.
import assert from 'node:assert/strict'
import { AnswersTable } from '@panel/root-helper/kernel/answers/table.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { Generations } from '@panel/root-helper/kernel/nft/generations.ts'
import type { Answered, AnswersDue } from '@panel/shared/ruleset/nft/answers.ts'

const ONE: Answered = { interface_names: ['gre-a-1'], number: 1, address: '172.17.1.2', own: null }
const TWO: Answered = { ...ONE, address: '172.17.1.6', own: '192.0.2.1' }

/** A kernel that lists what was written last, with the elements of its sets in whatever order. */
class FakeNft {
  generation = 1
  submitted: string[] = []
  listing: string | null = null
  refusal: KernelError | null = null
  elements = ['a', 'b']

  submit = async (text: string): Promise<void> => {
    this.generation += 1
    this.submitted.push(text)
    const set = { name: 'address4', elem: this.elements }
    const nftables = [{ metainfo: { version: '1.0.6' } }, { set }, { text: this.submitted.length }]
    this.listing = text.startsWith('delete') ? null : JSON.stringify({ nftables })
  }
  check = async (): Promise<void> => {
    if (this.refusal) throw this.refusal
  }
  list = async (): Promise<string | null> => this.listing
}

const due = (...addresses: readonly Answered[]): AnswersDue => ({ addresses, rules: [] })

describe('The table of answers', () => {
  let nft: FakeNft
  let table: AnswersTable
  beforeEach(() => {
    nft = new FakeNft()
    table = new AnswersTable(nft, new Generations(async () => nft.generation))
  })

  it('is written once, and again only for other tunnels or after others changed it', async () => {
    await table.put(due(ONE))
    await table.put(due(ONE))
    assert.equal(nft.submitted.length, 1)
    await table.put(due(ONE, TWO))
    assert.equal(nft.submitted.length, 2)
    nft.listing = '{"nftables":[]}'
    nft.generation += 1
    assert.equal(await table.isWhole(due(ONE, TWO)), false)
    await table.put(due(ONE, TWO))
    assert.deepEqual([nft.submitted.length, await table.isWhole(due(ONE, TWO))], [3, true])
  })

  it('is whole in whatever order the kernel lists its elements, and not for other tunnels', async () => {
    await table.put(due(ONE))
    nft.listing = nft.listing?.replace('["a","b"]', '["b","a"]') ?? null
    nft.generation += 1
    assert.deepEqual([await table.isWhole(due(ONE)), await table.isWhole(due(TWO))], [true, false])
  })

  it('goes with the last tunnel, and is whole then', async () => {
    await table.put(due(ONE))
    await table.put(due())
    assert.deepEqual([nft.submitted.at(-1), await table.isWhole(due())], ['delete table inet panel_answers\n', true])
  })

  it('of an earlier helper is not known to be whole, so it is written again', async () => {
    nft.listing = '{"nftables":[]}'
    assert.equal(await table.isWhole(due(ONE)), false)
  })

  it('is refused without nft and by a kernel that lacks what it needs; a crash of nft is no answer', async () => {
    const without = new AnswersTable(null, new Generations(async () => 1))
    assert.equal((await without.refusal())?.message_id, 'root.answers_need_nft')
    assert.equal(await table.refusal(), null)
    nft.refusal = new KernelError('EOPNOTSUPP', 'nft: Could not process rule: Operation not supported')
    assert.match((await table.refusal())?.message ?? '', /^This kernel or its nft .*not supported/)
    nft.refusal = new KernelError('EIO', 'nft crashed')
    await assert.rejects(table.refusal(), /crashed/)
  })
})
