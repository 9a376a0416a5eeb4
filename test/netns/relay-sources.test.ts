// The source addresses of what is masqueraded over tunnels, in this machine's kernel: they follow what they are given,
// and no rule changes with them. Real tunnels are in test/vm/impact.test.ts.
import assert from 'node:assert/strict'
import { exampleRule } from '../support/example-rule.ts'
import { KernelNamespace } from './kernel-namespace.ts'

const [ONE, TWO] = [
  exampleRule({ route_rule_id: 1, bind_port: 1001 }),
  exampleRule({ route_rule_id: 2, bind_port: 1002 }),
]
const GRE4 = { interface_name: 'gre-a-1', address: '172.17.1.1' }
const GRE6 = { interface_name: 'gre-a-1', address: '2001:db8:1::1' }
const OTHER = { interface_name: 'a-name-of-15-by', address: '172.18.1.1' }

for (const isProtected of [false, true])
  describe(`The source addresses in a table that ${isProtected ? 'the helper owns' : 'nobody owns'}`, function () {
    this.timeout(60_000)
    let host: KernelNamespace
    before(async () => {
      host = new KernelNamespace()
      await host.kernel.rulesets.protect(isProtected)
    })
    after(() => host.close())

    const sources = (): string[] =>
      [4, 6].flatMap((family) =>
        [...host.run('nft', ['list', 'map', 'inet', 'panel', `relay_source${family}`]).matchAll(/"(\S+)" : ([^\s,]+)/g)]
          .map(([, name, address]) => `${name} ${address}`)
          .sort(),
      )
    const isWhole = async (ids: readonly number[]): Promise<void> => {
      const { rules, damaged, unmanaged } = await host.kernel.rulesets.read()
      assert.deepEqual(
        [rules.map(({ route_rule_id }) => route_rule_id), damaged, unmanaged],
        [ids, [], []],
        'the rules are whole',
      )
    }

    it('are nothing as long as there is no table, and are in it from the first rule on', async () => {
      await host.kernel.rulesets.followSources([GRE4, GRE6, OTHER])
      assert.equal(host.run('nft', ['list', 'ruleset']), '')
      await host.kernel.rulesets.submit([], [ONE])
      assert.deepEqual(sources(), ['a-name-of-15-by 172.18.1.1', 'gre-a-1 172.17.1.1', 'gre-a-1 2001:db8:1::1'])
      await isWhole([1])
    })

    it('come, go and change by themselves, and no rule with them', async () => {
      await host.kernel.rulesets.followSources([{ ...GRE4, address: '172.17.1.9' }, GRE6])
      assert.deepEqual(sources(), ['gre-a-1 172.17.1.9', 'gre-a-1 2001:db8:1::1'])
      await isWhole([1])
      await host.kernel.rulesets.followSources([GRE4])
      assert.deepEqual(sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([1])
    })

    it('are those of a thousand tunnels, and of none', async () => {
      const all = (of: number) =>
        Array.from({ length: 1000 }, (_, at) => [
          { interface_name: `gre-b-${at}`, address: `172.${of}.${at >> 6}.${(at & 63) * 4 + 1}` },
          { interface_name: `gre-b-${at}`, address: `2001:db8:${of}:${at.toString(16)}::1` },
        ]).flat()
      const spelled = (of: number): string[] =>
        [false, true].flatMap((isIpv6) =>
          all(of)
            .filter(({ address }) => address.includes(':') === isIpv6)
            .map(({ interface_name, address }) => `${interface_name} ${address.replace(':0::', '::')}`)
            .sort(),
        )
      for (const of of [20, 21]) {
        await host.kernel.rulesets.followSources(all(of))
        assert.deepEqual(sources(), spelled(of))
      }
      await host.kernel.rulesets.followSources([GRE4])
      assert.deepEqual(sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([1])
    })

    it('stay while rules change, by nft and by root itself', async () => {
      await host.kernel.rulesets.submit([], [TWO])
      await host.kernel.rulesets.submit([], [{ ...TWO, balance: 'round_robin', destinations: balanced }])
      await host.kernel.rulesets.submit([2], [])
      assert.deepEqual(sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([1])
    })

    it('come to a table that an earlier version made without them', async () => {
      await host.kernel.rulesets.protect(false)
      const chain = host.run('nft', ['-a', 'list', 'chain', 'inet', 'panel', 'postrouting'])
      const lines = [...chain.matchAll(/@relay_source.* # handle ([0-9]+)/g)].map(([, handle]) => handle)
      assert.equal(lines.length, 2)
      const commands = [
        ...lines.map((handle) => `delete rule inet panel postrouting handle ${handle}`),
        ...[4, 6].map((family) => `delete map inet panel relay_source${family}`),
      ]
      host.run('nft', ['-f', '-'], commands.map((command) => `${command}\n`).join(''))
      assert.equal((await host.kernel.rulesets.read()).damaged.length, 1)
      await host.kernel.rulesets.submit([], [])
      assert.deepEqual(sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([1])
      await host.kernel.rulesets.protect(isProtected)
    })

    it('are there again with a table that is made again', async () => {
      await host.kernel.rulesets.clear()
      await host.kernel.rulesets.submit([], [TWO])
      assert.deepEqual(sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([2])
    })
  })

const balanced = ['10.9.0.2', '10.9.0.3'].map((address) => ({ address, port: 80, port_range_end: null, weight: 1 }))
