// Another program's firewall in a real kernel: it is named, and found where it drops a relay.
import assert from 'node:assert/strict'
import { findRelayBlocks, type RelayBlock } from '@panel/shared/foreign/relay-block.ts'
import { exampleRule } from '../support/example-rule.ts'
import { KernelNamespace } from './kernel-namespace.ts'

const blockOf = (...request: Parameters<typeof findRelayBlocks>): RelayBlock | null =>
  findRelayBlocks(...request)[0] ?? null
const AROUND = { own_addresses: [], in_interface: null, out_interface: null }

describe('A foreign firewall', function () {
  let space: KernelNamespace
  before(() => void (space = new KernelNamespace()))
  after(() => space.close())

  it("is not there, in a fresh namespace with nothing but the panel's table", async () => {
    await space.kernel.rulesets.submit([], [exampleRule()])
    const { is_readable, managers, chains, rules } = await space.kernel.netfilter.foreign()
    assert.deepEqual([is_readable, managers, chains, rules], [true, [], [], []])
  })

  it('is named, and is the block of a relay where its forward chain drops', async () => {
    space.run(
      'nft',
      ['-f', '-'],
      'table inet filter {\nchain forward {\ntype filter hook forward priority 0; policy drop;\n}\n}\ntable ip nat {\nchain DOCKER {\n}\n}\n',
    )
    const before = space.run('nft', ['list', 'ruleset'])
    const foreign = await space.kernel.netfilter.foreign()
    assert.deepEqual([foreign.managers, foreign.total, foreign.detail], [['docker', 'nftables'], 0, ''])
    const block = blockOf(exampleRule(), foreign, AROUND)
    assert.deepEqual(
      [block?.table, block?.chain, block?.text, block?.is_certain],
      ['inet filter', 'forward', 'policy drop', true],
    )
    assert.equal(space.run('nft', ['list', 'ruleset']), before)
  })

  it('is a block no more once its remedies are followed, for what is relayed and for the replies', async () => {
    const look = async () => blockOf(exampleRule(), await space.kernel.netfilter.foreign(), AROUND)
    for (const is_reply of [false, true]) {
      const block = await look()
      assert.equal(block?.is_reply, is_reply)
      space.run('nft', (/nft (insert rule .*? accept)/.exec(block.remedy.message)?.[1] ?? '').split(' '))
    }
    assert.equal(await look(), null)
    const { rules } = await space.kernel.netfilter.foreign()
    assert.deepEqual(
      rules.map(({ text }) => text),
      ['ct state established,related accept', 'ip daddr 10.9.0.2 tcp dport 443 accept'],
    )
  })
})
