// The chains of the sources of iptables, as text and with an iptables that refuses them. What a kernel makes of them is
// in test/netns/iptables-sources.test.ts.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Family } from '@panel/shared/address/ip.ts'
import { readIptables } from '@panel/shared/ruleset/iptables/read.ts'
import { iptablesText } from '@panel/shared/ruleset/iptables/render.ts'
import { readSourceLines, readSources, renderSources, formatSources } from '@panel/shared/ruleset/iptables/sources.ts'
import { RELAY_FAMILIES } from '@panel/shared/ruleset/iptables/tables.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import type { BootRules } from '@panel/root-helper/kernel/files/boot-rules.ts'
import type { Iptables } from '@panel/root-helper/kernel/iptables/iptables.ts'
import { IptablesRulesets } from '@panel/root-helper/kernel/iptables/rulesets.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { quietly } from '../../support/quietly.ts'
import { relayRules } from '../../support/random-rules.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'

const GRE = [
  { interface_name: 'gre-a-1', address: '172.17.1.1' },
  { interface_name: 'gre-a-1', address: '2001:db8:1::1' },
  { interface_name: 'gre-a-2', address: '172.17.2.1' },
]

/** The listing of iptables-save for the compiled rules. */
const savedOf = (rules: readonly RelayRule[], family: Family): string =>
  (
    iptablesText([], rules)
      .split(/^(?=# For )/m)
      .find((text) => text.startsWith(`# For ip${family === 6 ? '6' : ''}tables-`)) ?? ''
  ).replace(/^-I (\S+) 1 /gm, '-A $1 ')

describe('The lines of the sources', () => {
  it('are read as the sources that they were rendered from', () => {
    const read = RELAY_FAMILIES.flatMap((family) => {
      const listed = renderSources(formatSources(GRE, family)).replace('-F PANEL-SOURCE', '-N PANEL-SOURCE')
      return readSources(readSourceLines(listed, family) ?? [])
    })
    assert.deepEqual(read, [GRE[0], GRE[2], GRE[1]])
  })

  it('are none if the chain is not there, and foreign lines are among them', () => {
    assert.equal(readSourceLines(':PANEL-SNAT - [0:0]\n', 4), null)
    assert.deepEqual(readSourceLines(':PANEL-SOURCE - [0:0]\n-A PANEL-SOURCE -j RETURN\n', 4), ['-j RETURN'])
  })

  it('are no part of the rules, whatever they are', () =>
    fc.assert(
      fc.property(relayRules, fc.constantFrom(4 as const, 6 as const), (rules, family) => {
        const saved = savedOf(rules, family)
        const lines = '-A PANEL-SOURCE -o gre-a-1 -j SNAT --to-source 172.17.1.1\n-A PANEL-SOURCE -j RETURN\n'
        const { sources: _, ...without } = readIptables(saved, family)
        const { sources: __, ...withLines } = readIptables(
          saved.replace(/^-A PANEL-MASQ -j MASQ.*\n/m, `$&${lines}`),
          family,
        )
        assert.deepEqual(withLines, without)
      }),
      { numRuns: 40 },
    ))
})

describe('Where iptables refuses the sources', () => {
  const log = quietly()
  /** Has nothing of ours, and takes everything but the sources. */
  const refusing = {
    backend: 'iptables_nft',
    hasIpv6: true,
    save: async () => '',
    restore: async (_family: Family, text: string) => {
      if (text.includes('-F PANEL-SOURCE')) throw new KernelError('EINVAL', 'refused')
    },
  } as unknown as Iptables
  const boot: BootRules = { held: () => ({ boot_rules: [], boot_trouble: null }), change: async () => undefined }

  it('no change of a rule fails, and the log names it', async () => {
    const rulesets = new IptablesRulesets(refusing, boot)
    await rulesets.followSources(GRE)
    await rulesets.submit([], [exampleRule()])
    assert.deepEqual(
      log
        .map((line) => JSON.parse(line) as { level: string; detail: string })
        .map(({ level, detail }) => [level, detail]),
      [['warning', 'refused']],
    )
  })
})
