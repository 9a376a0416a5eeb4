// The source addresses of what is masqueraded over tunnels, in this machine's kernel: they follow what they are given,
// and no rule changes with them. Real tunnels are in test/vm/impact.test.ts.
import assert from 'node:assert/strict'
import { exampleRule } from '../support/example-rule.ts'
import { KernelNamespace } from './kernel-namespace.ts'
import { IN_ROTATION } from '@panel/shared/ruleset/model.ts'

const [ONE, TWO] = [
  exampleRule({ route_rule_id: 1, bind_port: 1001 }),
  exampleRule({ route_rule_id: 2, bind_port: 1002 }),
]
const SIX = exampleRule({
  route_rule_id: 6,
  bind_address: '2001:db8::1',
  destinations: [{ address: 'fd09::2', port: 443, port_range_end: null, weight: 1, ...IN_ROTATION }],
})
const GRE4 = { interface_name: 'gre-a-1', address: '172.17.1.1' }
const GRE6 = { interface_name: 'gre-a-1', address: '2001:db8:1::1' }
const OTHER = { interface_name: 'a-name-of-15-by', address: '172.18.1.1' }

interface Backend {
  readonly settings: NodeJS.ProcessEnv
  readonly isProtected: boolean
  /** What the kernel has to tell that there is nothing of ours. */
  readonly list: readonly string[]
  readonly sources: (run: KernelNamespace['run'], family: 4 | 6) => Iterable<RegExpMatchArray>
}

const nft = (isProtected: boolean): Backend => ({
  settings: {},
  isProtected,
  list: ['nft', 'list', 'ruleset'],
  sources: (run, family) =>
    run('nft', ['list', 'map', 'inet', 'panel', `relay_source${family}`]).matchAll(/"(\S+)" : ([^\s,]+)/g),
})

const iptables = (variant: 'nft' | 'legacy'): Backend => {
  const tool = (family: 4 | 6): string => `ip${family === 6 ? '6' : ''}tables-${variant}`
  const OURS = /^-A PANEL-SOURCE -o (\S+) -j SNAT --to-source (\S+)$/gm
  return {
    settings: { PANEL_RULE_BACKEND: `iptables_${variant}` },
    isProtected: false,
    list: ['sh', '-c', `${tool(4)}-save; ${tool(6)}-save`],
    sources: (run, family) => run(`${tool(family)}-save`, ['-t', 'nat']).matchAll(OURS),
  }
}

for (const [where, { settings, isProtected, list, sources: listed }] of Object.entries({
  'a table that nobody owns': nft(false),
  'a table that the helper owns': nft(true),
  'chains of iptables-nft': iptables('nft'),
  'chains of iptables-legacy': iptables('legacy'),
}))
  describe(`The source addresses in ${where}`, function () {
    let host: KernelNamespace
    before(async () => {
      host = new KernelNamespace(settings)
      await host.kernel.rulesets.protect(isProtected)
    })
    after(() => host.close())

    const run: KernelNamespace['run'] = (...args) => host.run(...args)
    /** The sources in the program's listing, which is what the helper reads back. */
    const sources = async (): Promise<string[]> => {
      const found = ([4, 6] as const).flatMap((family) =>
        [...listed(run, family)].map(([, name, address]) => `${name} ${address}`).sort(),
      )
      const held = (await host.kernel.rulesets.sources()).map((one) => `${one.interface_name} ${one.address}`)
      assert.deepEqual(held.sort(), [...found].sort(), 'the helper reads what is there')
      return found
    }
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
      const [program = '', ...args] = list
      assert.doesNotMatch(host.run(program, args), /panel/i)
      await host.kernel.rulesets.submit([], [ONE, SIX])
      assert.deepEqual(await sources(), ['a-name-of-15-by 172.18.1.1', 'gre-a-1 172.17.1.1', 'gre-a-1 2001:db8:1::1'])
      await isWhole([1, 6])
    })

    it('come, go and change by themselves, and no rule with them', async () => {
      await host.kernel.rulesets.followSources([{ ...GRE4, address: '172.17.1.9' }, GRE6])
      assert.deepEqual(await sources(), ['gre-a-1 172.17.1.9', 'gre-a-1 2001:db8:1::1'])
      await isWhole([1, 6])
      await host.kernel.rulesets.followSources([GRE4])
      assert.deepEqual(await sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([1, 6])
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
        assert.deepEqual(await sources(), spelled(of))
      }
      await host.kernel.rulesets.followSources([GRE4])
      assert.deepEqual(await sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([1, 6])
    })

    it('stay while rules change, by nft and by root itself', async () => {
      await host.kernel.rulesets.submit([], [TWO])
      await host.kernel.rulesets.submit([], [{ ...TWO, balance: 'round_robin', destinations: balanced }])
      await host.kernel.rulesets.submit([2], [])
      assert.deepEqual(await sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([1, 6])
    })

    it('are there again with a table that is made again', async () => {
      await host.kernel.rulesets.clear()
      await host.kernel.rulesets.submit([], [TWO])
      assert.deepEqual(await sources(), ['gre-a-1 172.17.1.1'])
      await isWhole([2])
    })
  })

const balanced = ['10.9.0.2', '10.9.0.3'].map((address) => ({
  address,
  port: 80,
  port_range_end: null,
  weight: 1,
  ...IN_ROTATION,
}))
