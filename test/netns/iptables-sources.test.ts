// The chains of the sources in this machine's kernel, in both variants of iptables: who writes them, and when.
import assert from 'node:assert/strict'
import { exampleRule } from '../support/example-rule.ts'
import { KernelNamespace } from './kernel-namespace.ts'

const [ONE, TWO, SNAT] = [
  exampleRule({ route_rule_id: 1, bind_port: 1001 }),
  exampleRule({ route_rule_id: 2, bind_port: 1002 }),
  exampleRule({ route_rule_id: 3, bind_port: 1003, nat_mode: 'snat', snat_address: '192.0.2.9' }),
]
const GRE = { interface_name: 'gre-a-1', address: '172.17.1.1' }
const LINE = '-A PANEL-SOURCE -o gre-a-1 -j SNAT --to-source 172.17.1.1'

for (const variant of ['nft', 'legacy'])
  describe(`The chain of the sources of iptables-${variant}`, function () {
    let host: KernelNamespace
    before(async () => {
      host = new KernelNamespace({ PANEL_RULE_BACKEND: `iptables_${variant}` })
      await host.kernel.rulesets.followSources([GRE])
      await host.kernel.rulesets.submit([], [ONE, SNAT])
    })
    after(() => host.close())
    const nat = (...command: string[]): string => host.run(`iptables-${variant}`, ['-t', 'nat', ...command])
    const chain = (): string[] => nat('-S', 'PANEL-SOURCE').trim().split('\n').slice(1)
    const held = async () => {
      const { rules, damaged, unmanaged } = await host.kernel.rulesets.read()
      return { ids: rules.map(({ route_rule_id }) => route_rule_id), damaged, unmanaged }
    }
    const whole = (...ids: number[]) => ({ ids, damaged: [], unmanaged: [] })

    it('is not written by a change of a rule, nor by one of a link that leaves the sources as they are', async () => {
      nat('-R', 'PANEL-SOURCE', '1', ...LINE.split(' ').slice(2), '-c', '7', '700')
      const counted = (): boolean => nat('-S', 'PANEL-SOURCE', '-v').includes('-c 7 700 ')
      assert.ok(counted(), nat('-S', 'PANEL-SOURCE', '-v'))
      await host.kernel.rulesets.submit([], [TWO])
      await host.kernel.rulesets.submit([2], [])
      await host.kernel.rulesets.followSources([GRE])
      assert.ok(counted())
      assert.deepEqual(await held(), whole(1, 3))
    })

    for (const [what, command] of [
      ['emptied', ['-F', 'PANEL-SOURCE']],
      ['added to', ['-I', 'PANEL-SOURCE', '-o', 'eth7', '-j', 'RETURN']],
    ] as const)
      it(`damages no rule after another program has ${what} it, and is right again with the next change`, async () => {
        nat(...command)
        assert.deepEqual(await held(), whole(1, 3))
        await host.kernel.rulesets.submit([], [TWO])
        assert.deepEqual(chain(), [LINE])
        await host.kernel.rulesets.submit([2], [])
        assert.deepEqual(await held(), whole(1, 3))
      })

    it('leaves out a name that iptables takes for several', async () => {
      await host.kernel.rulesets.followSources([GRE, { ...GRE, interface_name: 'gre+' }])
      assert.deepEqual(chain(), [LINE])
    })

    it('stays with the last rule, and goes with everything of ours', async () => {
      await host.kernel.rulesets.submit([1, 3], [])
      assert.deepEqual(chain(), [LINE])
      await host.kernel.rulesets.clear()
      assert.doesNotMatch(nat('-S'), /PANEL/)
      await host.kernel.rulesets.followSources([])
      await host.kernel.rulesets.submit([], [ONE])
      assert.deepEqual(chain(), [])
    })
  })
