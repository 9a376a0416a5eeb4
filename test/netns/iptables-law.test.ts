// The law of iptables on this machine's kernel, in both of its variants: what is read back is what was requested, and
// nothing else is touched.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { familyOf } from '@panel/shared/ruleset/canonical.ts'
import { ruleLimits } from '@panel/shared/ruleset/backend.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { iptablesText } from '@panel/shared/ruleset/iptables/render.ts'
import { restoreRules } from '@panel/root-helper/nouns/ruleset/start.ts'
import { applyRuleset, forgetRules } from '@panel/root-helper/nouns/ruleset/handlers.ts'
import { relayContract } from '../contract/relay.ts'
import { exampleRule } from '../support/example-rule.ts'
import { noJournal } from '../support/in-process-helper.ts'
import { relayRules } from '../support/random-rules.ts'
import { KernelNamespace } from './kernel-namespace.ts'

const VARIANTS = [
  ['iptables_nft', 'nft'],
  ['iptables_legacy', 'legacy'],
] as const
const SIX = {
  bind_address: '2001:db8::1',
  destinations: [{ address: 'fd09::2', port: 443, port_range_end: null, weight: 1, ...IN_ROTATION }],
}

for (const [backend, variant] of VARIANTS) {
  describe(`The relay rules of a real kernel, by iptables-${variant}`, function () {
    let host: KernelNamespace
    after(() => host.close())
    relayContract(
      async () => {
        host = new KernelNamespace({ PANEL_RULE_BACKEND: backend })
        return host.kernel
      },
      8,
      backend,
    )

    const able = relayRules.map((rules) =>
      rules.filter((rule) => ruleLimits({ active: backend, has_ipv6: true }, rule).length === 0),
    )
    const idsOf = (rules: readonly { route_rule_id: number }[]): number[] =>
      rules.map(({ route_rule_id }) => route_rule_id)
    const iptables = (command: string, family: '' | '6' = ''): string =>
      host.run(`ip${family}tables-${variant}`, command.split(' '))
    /**
     * The listing of both families, without comments, counters and what a program makes beside that has to list more
     * tables.
     */
    const saved = (which: (line: string) => boolean = () => true): string[] =>
      ['', '6'].flatMap((family) =>
        host
          .run(`ip${family}tables-${variant}-save`, [])
          .split('\n')
          .filter((line) => !line.startsWith('#') && which(line))
          .map((line) => line.replace(/ \[[0-9:]+\]$/, '')),
      )
    const load = (text: string): void => {
      for (const part of text.split(/^(?=# For )/m))
        if (part !== '') host.run(`${/^# For (\S+)-restore/.exec(part)?.[1]}-${variant}-restore`, ['--noflush'], part)
    }
    const held = async () => {
      const { rules, damaged, unmanaged } = await host.kernel.rulesets.read()
      return { rules, damaged, unmanaged }
    }
    /** The rules that boot brings back go with those of the kernel. */
    const goTo = async (rules: readonly RelayRule[]) => {
      const { rules: whole, damaged, boot_rules } = await host.kernel.rulesets.read()
      const gone = [...idsOf(whole), ...idsOf(damaged)]
      await host.kernel.rulesets.submit(gone, rules)
      await host.kernel.rulesets.saveForBoot(idsOf(boot_rules), rules)
      await host.kernel.rulesets.removeCounters(gone)
    }
    const flush = (): void => {
      for (const family of ['', '6'] as const)
        for (const table of ['nat', 'mangle']) for (const how of ['-F', '-X']) iptables(`-t ${table} ${how}`, family)
    }

    it('are the same, made by a change or made at once', async () => {
      const ours = (): string[] =>
        saved((line) => line.includes('PANEL-') && !/PANEL-C-[0-9]+ (?:-m|-$|- )/.test(line)).sort()
      await fc.assert(
        fc.asyncProperty(able, able, async (before, after) => {
          flush()
          load(iptablesText([], before))
          load(iptablesText(before, after))
          const changed = ours()
          flush()
          load(iptablesText([], after))
          // A family that had rules keeps its chains, empty.
          const isBare = before.some((one) => !after.some((other) => familyOf(one) === familyOf(other)))
          if (!isBare) assert.deepEqual(changed, ours())
        }),
        { numRuns: 8 },
      )
      flush()
      await host.kernel.rulesets.submit([], [])
    })

    it('are damaged, or read as what they have become, where anything of them is missing or more, and whole again after the next change', async () => {
      const rules = [
        exampleRule({ route_rule_id: 1 }),
        exampleRule({
          route_rule_id: 2,
          bind_port: 80,
          is_logging_enabled: true,
          is_clamp_mss_to_pmtu: true,
          allowed_sources: ['10.0.0.0/8'],
        }),
      ]
      await goTo(rules)
      const harm: [string, number[]][] = [
        ['-t nat -F PANEL-D-1-0', [1]],
        ['-t nat -D PANEL-SNAT -m connmark --mark 0x50000100/0xffffff00 -j PANEL-MASQ', []],
        ['-t nat -F PANEL-MASQ', [1, 2]],
        ['-t nat -D PANEL-IN -d 192.0.2.1 -p tcp --dport 443 -j PANEL-R-1', [1]],
        ['-t mangle -D PANEL-C-2 2', [2]],
        ['-t mangle -F PANEL-G-0', [1, 2]],
        ['-t mangle -F PANEL-MSS', []],
        ['-t nat -F PANEL-S-2', [2]],
        ['-t nat -A PANEL-S-2 -s 11.0.0.0/8 -j PANEL-R-2', []],
        ['-t nat -F PANEL-R-2', [2]],
        ['-t nat -D PREROUTING -j PANEL-IN', [1, 2]],
        ['-t mangle -D INPUT ! -i lo -j PANEL-COUNT', [1, 2]],
        ['-t mangle -F POSTROUTING', [1, 2]],
        ['-t nat -F', [1, 2]],
        ['-t mangle -F', [1, 2]],
      ]
      for (const [command, ids] of harm) {
        iptables(command)
        const { damaged, rules: whole } = await held()
        if (ids.length > 0)
          assert.deepEqual(
            [idsOf(whole), idsOf(damaged)],
            [idsOf(rules).filter((id) => !ids.includes(id)), ids],
            command,
          )
        else assert.notDeepEqual(whole, rules, command)
        assert.ok(damaged.every(({ detail }) => detail.length > 0))
        const [, table, chain, jump] = /^-t (\S+) -D (PREROUTING|INPUT) (.*)$/.exec(command) ?? []
        if (jump !== undefined)
          assert.deepEqual((await host.kernel.rulesets.read()).missing_jumps, [`iptables ${table} ${chain} ${jump}`])
        await host.kernel.rulesets.submit([], rules)
        assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] }, command)
      }
    })

    it('stand beside foreign pieces in our chains, which are reported and go with the next change', async () => {
      const rules = [exampleRule({ route_rule_id: 1 })]
      await goTo(rules)
      const added: [string, RegExp][] = [
        ['-t nat -A PANEL-IN -p tcp --dport 22 -j DNAT --to-destination 10.9.0.9', /^nat PANEL-IN: .*10\.9\.0\.9$/],
        ['-t mangle -I PANEL-COUNT 1 -j ACCEPT', /^mangle PANEL-COUNT: -j ACCEPT$/],
        ['-t nat -N PANEL-EXTRA', /^nat PANEL-EXTRA/],
        ['-t nat -A PREROUTING -j PANEL-IN', /^nat PREROUTING: -j PANEL-IN$/],
        ['-t mangle -I PANEL-C-1 1 -j RETURN', /^mangle PANEL-C-1: -j RETURN$/],
      ]
      for (const [command, text] of added) {
        iptables(command)
        const { unmanaged, ...rest } = await held()
        assert.deepEqual(rest, { rules, damaged: [] }, command)
        assert.ok(unmanaged.length === 1 && text.test(unmanaged[0] ?? ''), `${command}: ${unmanaged.join()}`)
        await host.kernel.rulesets.submit([], rules)
        assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] }, command)
      }
    })

    it('are refused whole where one family or one table is refused, and what the others had taken is put back', async () => {
      const rules = [exampleRule({ route_rule_id: 1 }), exampleRule({ route_rule_id: 2, ...SIX })]
      await goTo(rules)
      const before = saved()
      const impossible = [
        // ip6tables refuses what iptables has not even seen, and of IPv4 the table that relays refuses what the one
        // that counts has taken.
        [
          exampleRule({ route_rule_id: 3, bind_port: 81, is_clamp_mss_to_pmtu: true }),
          { ...exampleRule({ route_rule_id: 4, bind_port: 81, ...SIX }), fwmark: 2 ** 40 },
        ],
        [
          {
            ...exampleRule({ route_rule_id: 3, bind_port: 81, is_clamp_mss_to_pmtu: true }),
            bind_interface: 'much-too-long-a-name',
          },
        ],
      ]
      for (const after of impossible) {
        const { outcome, failure } = await applyRuleset(host.kernel.rulesets, noJournal(), { before: rules, after })
        assert.equal(outcome, 'restored')
        assert.match(failure?.message ?? '', new RegExp(`^ip6?tables-${variant}-restore: .* in "-[AI] PANEL-`))
        assert.deepEqual(saved(), before)
        assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] })
      }
    })

    it('are put back to nothing at all where the very first of them is refused', async () => {
      await goTo([])
      flush()
      const before = saved()
      const after = [
        exampleRule({ route_rule_id: 1 }),
        { ...exampleRule({ route_rule_id: 2, ...SIX }), bind_interface: 'much-too-long-a-name' },
      ]
      assert.equal((await applyRuleset(host.kernel.rulesets, noJournal(), { before: null, after })).outcome, 'restored')
      const ours = (line: string): boolean => line.includes('PANEL-')
      assert.deepEqual([before.filter(ours), saved(ours)], [[], []])
    })

    it('never touch a line of anybody else', async () => {
      const theirs =
        '*nat\n:DOCKER - [0:0]\n-A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER\n-A DOCKER -p tcp --dport 9 -j RETURN\n-A POSTROUTING -p tcp -j MASQUERADE\nCOMMIT\n*mangle\n:PANELLED - [0:0]\n-A FORWARD -j PANELLED\nCOMMIT\n*filter\n:INPUT DROP [0:0]\n-A FORWARD -j DROP\nCOMMIT\n'
      host.run(`iptables-${variant}-restore`, ['--noflush'], theirs)
      const picture = (): string[] => saved((line) => !line.includes('PANEL-'))
      await goTo([exampleRule({ route_rule_id: 1 }), exampleRule({ route_rule_id: 2, ...SIX })])
      const before = picture()
      await fc.assert(
        fc.asyncProperty(able, (rules) => goTo(rules)),
        { numRuns: 5 },
      )
      assert.deepEqual(picture(), before)
    })

    it('stay as they were left by hand, damaged or missing, when another one is changed', async () => {
      const rules = [1, 2, 3].map((id) => exampleRule({ route_rule_id: id, sort_order: id, bind_port: 1000 + id }))
      const [one] = rules as [RelayRule, RelayRule, RelayRule]
      await goTo(rules)
      iptables('-t nat -F PANEL-D-2-0')
      iptables('-t nat -D PANEL-IN -d 192.0.2.1 -p tcp --dport 1002 -j PANEL-R-2')
      iptables('-t mangle -D PANEL-C-3 2')
      const before = await held()
      assert.deepEqual([idsOf(before.rules), idsOf(before.damaged)], [[1], [2, 3]])
      const changed = { ...one, is_logging_enabled: true, is_clamp_mss_to_pmtu: true, fwmark: 7 }
      const nine = exampleRule({ route_rule_id: 9, bind_port: 99 })
      for (const [was, is] of [
        [[one], [changed]],
        [[changed], [one]],
        [null, [nine]],
        [[nine], null],
      ] as const) {
        const change = { before: was && [...was], after: is && [...is] }
        const { outcome, failure } = await applyRuleset(host.kernel.rulesets, noJournal(), change)
        assert.equal(outcome, 'applied', failure?.message)
        assert.deepEqual((await held()).damaged, before.damaged)
      }
      assert.deepEqual(idsOf((await host.kernel.rulesets.read()).boot_rules), [1, 2, 3])
      await forgetRules(host.kernel.rulesets, noJournal(), { route_rule_ids: [2, 3] })
      assert.deepEqual(await held(), { rules: [one], damaged: [], unmanaged: [] })
    })

    it('are brought back from what was last accepted where any of it is gone, and only then', async () => {
      const rules = [exampleRule({ route_rule_id: 1 }), exampleRule({ route_rule_id: 2, bind_port: 80 })]
      await goTo(rules)
      assert.equal(await restoreRules(host.kernel), null)
      flush()
      assert.deepEqual((await host.kernel.rulesets.read()).is_present, false)
      assert.equal(await restoreRules(host.kernel), 2)
      assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] })
      iptables('-t mangle -F')
      assert.equal(await restoreRules(host.kernel), 2)
      assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] })
    })
  })
}
