// The law of the compiler and the reader on this machine's kernel and nft: what is read back is what was requested, and
// nothing else is.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BALANCES, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { objectsIn } from '@panel/shared/ruleset/nft/json.ts'
import { ruleText } from '@panel/shared/ruleset/nft/read-rule.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import { drawnMark } from '@panel/shared/ruleset/slots.ts'
import { restoreRules } from '@panel/root-helper/nouns/ruleset/start.ts'
import { applyRuleset, forgetRules } from '@panel/root-helper/nouns/ruleset/handlers.ts'
import { exampleRule } from '../support/example-rule.ts'
import { noJournal } from '../support/in-process-helper.ts'
import { relayRules } from '../support/random-rules.ts'
import { KernelNamespace } from './kernel-namespace.ts'

describe('The relay rules of a real kernel', function () {
  let host: KernelNamespace
  before(async () => {
    host = new KernelNamespace()
    await host.kernel.rulesets.read()
  })
  after(() => host.close())

  const nft = (command: string): string => host.run('nft', command.split(' '))
  const idsOf = (rules: readonly { readonly route_rule_id: number }[]): number[] =>
    rules.map(({ route_rule_id }) => route_rule_id)
  const held = async () => {
    const { rules, damaged, unmanaged } = await host.kernel.rulesets.read()
    return { rules, damaged, unmanaged }
  }
  /** The rules that boot brings back go with those of the kernel. */
  const goTo = async (rules: readonly RelayRule[]) => {
    const { rules: whole, damaged, boot_rules } = await host.kernel.rulesets.read()
    await host.kernel.rulesets.submit([...idsOf(whole), ...idsOf(damaged)], rules)
    await host.kernel.rulesets.saveForBoot(idsOf(boot_rules), rules)
  }

  it('read back as requested, from whatever was there before', async () => {
    await fc.assert(
      fc.asyncProperty(relayRules, async (rules) => {
        await goTo(rules)
        assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] })
      }),
      { numRuns: 40 },
    )
  })

  it('have their draws read as they are written, also by marks of the fast path, which nft lists below zero', () => {
    const destinations = ['10.9.0.2', '10.9.0.3'].map((address) => ({ ...exampleRule().destinations[0]!, address }))
    const draws = (['none', ...BALANCES] as const).flatMap((balance) =>
      [false, true].map(
        (is_fast_path) => `ct mark set ${drawnMark(exampleRule({ balance, destinations, is_fast_path }))}`,
      ),
    )
    host.run(
      'nft',
      ['-f', '-'],
      [
        'add table inet draws',
        'add chain inet draws drawn',
        ...draws.map((draw) => `add rule inet draws drawn ${draw}`),
      ].join('\n'),
    )
    const listed = objectsIn(nft('-j list chain inet draws drawn')).filter(([kind]) => kind === 'rule')
    assert.deepEqual(
      listed.map(([, rule]) => ruleText(rule['expr'])),
      draws,
    )
    nft('delete table inet draws')
  })

  it('are the same, made by a change or made at once', async () => {
    await fc.assert(
      fc.asyncProperty(relayRules, relayRules, async (before, after) => {
        const structure = (): string =>
          nft('-s list table inet panel')
            .replace(/\tcounter \S+ \{\n[^}]*\}\n\n/g, '')
            .replace(/elements = \{[^}]*\}/g, (text) =>
              text
                .slice(14, -1)
                .split(/,\s+/)
                .map((item) => item.trim())
                .sort()
                .join('\n'),
            )
        const byName = (): string[] =>
          structure()
            .replace(/\n\}\n$/, '')
            .split('\n\n')
            .map((block) => block.trim())
            .sort()
        nft('add table inet panel; delete table inet panel')
        host.run('nft', ['-f', '-'], rulesetText(null, before))
        host.run('nft', ['-f', '-'], rulesetText(before, after))
        const changed = byName()
        nft('delete table inet panel')
        host.run('nft', ['-f', '-'], rulesetText(null, after))
        assert.deepEqual(
          changed.filter((block) => !block.startsWith('table ')),
          byName().filter((block) => !block.startsWith('table ')),
        )
      }),
      { numRuns: 20 },
    )
  })

  it('are damaged, or read as what they have become, where anything of them is missing or more, and whole again after the next change', async () => {
    const rules = [
      exampleRule({ route_rule_id: 1 }),
      exampleRule({ route_rule_id: 2, bind_port: 80, is_logging_enabled: true, allowed_sources: ['10.0.0.0/8'] }),
    ]
    await goTo(rules)
    const harm: [string, number[]][] = [
      ['delete element inet panel relay_to4 { 0x50000100 }', [1]],
      ['delete element inet panel relay_masquerade { 0x50000100 }', []],
      ['delete element inet panel relay_in_id4 { tcp . 192.0.2.1 . 443 }', [1]],
      ['delete element inet panel relay_account { 0x50000200 . reply }', [2]],
      ['delete element inet panel from4_2 { 10.0.0.0/8 }', [2]],
      ['add element inet panel from4_2 { 11.0.0.0/8 }', []],
      ['flush chain inet panel rule_2', [2]],
      ['flush chain inet panel in_tcp_80', [2]],
      ['flush chain inet panel postrouting', [1, 2]],
      ['flush map inet panel relay_in_ports', [2]],
      ['delete chain inet panel account_forward', [1, 2]],
      ['delete table inet panel', [1, 2]],
    ]
    for (const [command, ids] of harm) {
      nft(command)
      const { damaged, rules: whole } = await held()
      if (ids.length > 0)
        assert.deepEqual(
          [idsOf(whole), damaged.map(({ route_rule_id }) => route_rule_id)],
          [idsOf(rules).filter((id) => !ids.includes(id)), ids],
          command,
        )
      else assert.notDeepEqual(whole, rules, command)
      assert.ok(damaged.every(({ detail }) => detail.length > 0))
      await host.kernel.rulesets.submit([], rules)
      assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] }, command)
    }
  })

  it('stand beside foreign pieces in our table, which are reported and go with the next change', async () => {
    const rules = [exampleRule({ route_rule_id: 1 })]
    await goTo(rules)
    const added: [string, RegExp][] = [
      ['add rule inet panel relay_in tcp dport 22 dnat ip to 10.9.0.9', /^chain relay_in: .*10\.9\.0\.9/],
      ['insert rule inet panel account_forward drop', /^chain account_forward: drop$/],
      ['add chain inet panel extra', /^chain extra/],
      ['add set inet panel other { type ipv4_addr; }', /^set other/],
      ['add counter inet panel mine', /^counter mine$/],
      ['add element inet panel relay_weight { 0x1 : 0x2 }', /^relay_weight \{ 0x00000001 : 0x00000002 \}$/],
    ]
    for (const [command, text] of added) {
      nft(command)
      const { unmanaged, ...rest } = await held()
      assert.deepEqual(rest, { rules, damaged: [] }, command)
      assert.ok(unmanaged.length === 1 && text.test(unmanaged[0] ?? ''), `${command}: ${unmanaged.join()}`)
      await host.kernel.rulesets.submit([], rules)
      assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] }, command)
    }
  })

  it('are refused whole where nft refuses any of it, and what was there stays to the byte', async () => {
    const rules = [exampleRule({ route_rule_id: 1 })]
    await goTo(rules)
    const before = nft('list ruleset')
    const impossible = { ...exampleRule({ route_rule_id: 2, bind_port: 81 }), fwmark: 2 ** 40 }
    const { outcome, failure } = await applyRuleset(host.kernel.rulesets, noJournal(), {
      before: rules,
      after: [impossible],
    })
    assert.equal(outcome, 'restored')
    assert.match(failure?.message ?? '', /^nft: .*Error: .* in "/)
    assert.equal(nft('list ruleset'), before)
    assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] })
  })

  it('never touch the table of anybody else', async () => {
    const others =
      'table inet theirs {\n\tcounter panel { }\n\tmap relay_to4 { type mark : ipv4_addr; elements = { 0x1 : 10.0.0.1 } }\n\tchain prerouting { type nat hook prerouting priority -100; policy accept; tcp dport 9 counter; }\n}\ntable ip panel { chain x {\n\t\tdrop\n\t}\n}\n'
    host.run('nft', ['-f', '-'], others)
    const picture = (): string => nft('list table inet theirs') + nft('list table ip panel')
    const before = picture()
    await fc.assert(
      fc.asyncProperty(relayRules, (rules) => goTo(rules)),
      { numRuns: 10 },
    )
    assert.equal(picture(), before)
    nft('delete table inet theirs')
    nft('delete table ip panel')
  })

  it('stay as they were left by hand, damaged or missing, when another one is changed', async () => {
    const rules = [1, 2, 3].map((id) => exampleRule({ route_rule_id: id, sort_order: id, bind_port: 1000 + id }))
    const [one] = rules as [RelayRule, RelayRule, RelayRule]
    await goTo(rules)
    const removal = [
      'relay_to4 { 0x50000200 }',
      'relay_masquerade { 0x50000200 }',
      'relay_order { 0x50000200 }',
      'relay_arrived { 0x50000200 }',
      'relay_in_id4 { tcp . 192.0.2.1 . 1002 }',
      'relay_account { 0x50000200 . original, 0x50000200 . reply, 0x50000300 . reply }',
    ]
    for (const elements of removal) nft(`delete element inet panel ${elements}`)
    for (const counter of ['rule_2_tx', 'rule_2_rx']) nft(`delete counter inet panel ${counter}`)
    const left = async () => {
      const { rules: whole, damaged } = await held()
      return { whole: idsOf(whole), damaged }
    }
    const before = await left()
    assert.deepEqual([before.whole, idsOf(before.damaged)], [[1], [3, 2]])
    const changes: [RelayRule[] | null, RelayRule[] | null][] = [
      [[one], [{ ...one, is_logging_enabled: true, is_clamp_mss_to_pmtu: true, fwmark: 7 }]],
      [[{ ...one, is_logging_enabled: true, is_clamp_mss_to_pmtu: true, fwmark: 7 }], [one]],
      [null, [exampleRule({ route_rule_id: 9, bind_port: 99 })]],
      [[exampleRule({ route_rule_id: 9, bind_port: 99 })], null],
    ]
    for (const [was, is] of changes) {
      const { outcome, failure } = await applyRuleset(host.kernel.rulesets, noJournal(), { before: was, after: is })
      assert.equal(outcome, 'applied', failure?.message)
      assert.deepEqual((await left()).damaged, before.damaged)
      assert.doesNotMatch(nft('list table inet panel'), /0x50000200|rule_2_|0x50000300 \. reply/)
    }
    assert.deepEqual(idsOf((await host.kernel.rulesets.read()).boot_rules), [1, 2, 3])
    await forgetRules(host.kernel.rulesets, noJournal(), { route_rule_ids: [2, 3] })
    assert.deepEqual(await held(), { rules: [one], damaged: [], unmanaged: [] })
  })

  it('are brought back from what was last accepted where the table is gone, and only then', async () => {
    const rules = [exampleRule({ route_rule_id: 1 }), exampleRule({ route_rule_id: 2, bind_port: 80 })]
    await goTo(rules)
    assert.equal(await restoreRules(host.kernel), null)
    nft('flush ruleset')
    assert.deepEqual((await host.kernel.rulesets.read()).is_present, false)
    assert.equal(await restoreRules(host.kernel), 2)
    assert.deepEqual(await held(), { rules, damaged: [], unmanaged: [] })
  })
})
