// What a kernel does with relay rules and forwarding, as one suite for the fake one and the real ones, whatever carries
// out the rules there.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { probeForwarding } from '@panel/root-helper/nouns/forwarding/subject.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import { ruleLimits, type RuleBackend } from '@panel/shared/ruleset/backend.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { SWITCHES, switchesBy } from '@panel/shared/forwarding/model.ts'
import { renderSysctl } from '@panel/shared/forwarding/sysctl.ts'
import { exampleRule } from '../support/example-rule.ts'
import { goldenRules, RULESETS } from '../support/golden-rules.ts'
import { relayRules } from '../support/random-rules.ts'

const idsOf = (rules: readonly { route_rule_id: number }[]): number[] => rules.map(({ route_rule_id }) => route_rule_id)
const ZERO = { tx_bytes: 0, tx_packets: 0, rx_bytes: 0, rx_packets: 0 }

export function relayContract(open: () => Promise<Kernel>, runs = 25, active: RuleBackend = 'nftables'): void {
  let kernel: Kernel
  before(async () => void (kernel = await open()))
  const able = (rules: readonly RelayRule[]): RelayRule[] =>
    rules.filter((rule) => ruleLimits({ active, has_ipv6: true }, rule).length === 0)
  const held = async (): Promise<RelayRule[]> => {
    const { backend, is_readable, rules, damaged, unmanaged } = await kernel.rulesets.read()
    assert.deepEqual(
      { backend, is_readable, damaged, unmanaged },
      { backend: active, is_readable: true, damaged: [], unmanaged: [] },
    )
    return rules
  }
  const become = async (rules: readonly RelayRule[]): Promise<void> => {
    const before = idsOf(await held())
    await kernel.rulesets.submit(before, rules)
    await kernel.rulesets.removeCounters(before)
  }

  for (const name of readdirSync(RULESETS)) {
    it(`holds ${name.replaceAll('-', ' ')} just as requested`, async () => {
      const rules = able(goldenRules(name))
      await become(rules)
      assert.deepEqual(await held(), rules)
    })
  }

  it('holds any rules just as requested, whatever it held before', async () => {
    await fc.assert(
      fc.asyncProperty(relayRules.map(able), async (rules) => {
        await become(rules)
        assert.deepEqual(await held(), rules)
      }),
      { numRuns: runs },
    )
  })

  it('leaves the rules that a change does not name', async () => {
    const [one, two, three] = [1, 2, 3].map((id) =>
      exampleRule({ route_rule_id: id, sort_order: id, bind_port: 1000 + id }),
    ) as [RelayRule, RelayRule, RelayRule]
    await become([one, two])
    await kernel.rulesets.submit([], [three])
    assert.deepEqual(await held(), [one, two, three])
    await kernel.rulesets.submit([1, 9], [{ ...two, bind_port: 1, sort_order: 7 }])
    assert.deepEqual(await held(), [three, { ...two, bind_port: 1, sort_order: 7 }])
  })

  it('rehearses any change and its way back, and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(relayRules.map(able), relayRules.map(able), async (from, to) => {
        await become(from)
        const [there, back] = [idsOf(from), idsOf(to)]
        await kernel.rulesets.rehearse(
          { gone: there.filter((id) => !back.includes(id)), put: to },
          { gone: back.filter((id) => !there.includes(id)), put: from },
        )
        assert.deepEqual(await held(), from)
      }),
      { numRuns: Math.ceil(runs / 2) },
    )
  })

  it('counts for each rule from nothing, and gives the last of it when the rule has gone', async () => {
    await become([exampleRule({ route_rule_id: 1 }), exampleRule({ route_rule_id: 2, bind_port: 80 })])
    const { epoch, counters } = await kernel.rulesets.counters()
    assert.deepEqual(counters, [
      { route_rule_id: 1, ...ZERO },
      { route_rule_id: 2, ...ZERO },
    ])
    await kernel.rulesets.submit([1], [])
    assert.deepEqual(await kernel.rulesets.counters(), { epoch, counters })
    assert.deepEqual(await kernel.rulesets.removeCounters([1, 2, 3]), [{ route_rule_id: 1, ...ZERO }])
    assert.deepEqual(idsOf((await kernel.rulesets.counters()).counters), [2])
  })

  it('has the table still when the last rule is gone', async () => {
    await become([])
    assert.deepEqual([await held(), (await kernel.rulesets.read()).is_present], [[], true])
  })

  it('gives back the sources that it follows, and none without the table', async () => {
    const sources = [
      { interface_name: 'gre-a-1', address: '172.17.1.1' },
      { interface_name: 'gre-a-1', address: '2001:db8:1::1' },
    ]
    await become([exampleRule({ route_rule_id: 1 })])
    await kernel.rulesets.followSources(sources)
    assert.deepEqual(await kernel.rulesets.sources(), sources)
    await kernel.rulesets.clear()
    assert.deepEqual(await kernel.rulesets.sources(), [])
    await kernel.rulesets.followSources([])
    await become([exampleRule({ route_rule_id: 1 })])
    assert.deepEqual(await kernel.rulesets.sources(), [])
  })

  it('keeps the rules that boot brings back apart from those of the kernel, until it is cleared', async () => {
    const [one, two] = [exampleRule({ route_rule_id: 1 }), exampleRule({ route_rule_id: 2, bind_port: 80 })]
    await become([one])
    const { boot_rules } = await kernel.rulesets.read()
    await kernel.rulesets.saveForBoot(idsOf(boot_rules), [two, one].sort(inOrder))
    const { rules, boot_rules: saved } = await kernel.rulesets.read()
    assert.deepEqual([rules, saved], [[one], [one, two]])
    await kernel.rulesets.saveForBoot([1, 2], [])
    await kernel.rulesets.clear()
    const cleared = await kernel.rulesets.read()
    assert.deepEqual([cleared.rules, cleared.is_present, cleared.boot_rules], [[], false, []])
    assert.equal((await kernel.rulesets.counters()).counters.length, 0)
  })

  it('turns its switches on and off, each by itself, and keeps the file as written', async () => {
    const { live, missing } = await kernel.forwarding.facts()
    assert.deepEqual(missing, [])
    for (const family of SWITCHES) {
      for (const is_on of [true, false]) {
        await kernel.forwarding.set(family, is_on)
        assert.equal((await kernel.forwarding.facts()).live[family], is_on)
      }
    }
    const saved = { switches: switchesBy((name) => name === 'ipv4'), previous: live, conntrack_max: null }
    await kernel.forwarding.writeFile(renderSysctl({ ...saved, accept_ra: {} }))
    assert.deepEqual((await probeForwarding(kernel.forwarding)).state.saved, saved)
    await kernel.forwarding.writeFile('net.ipv4.ip_forward = 1\n')
    assert.equal((await probeForwarding(kernel.forwarding)).is_foreign_file, true)
    for (let i = 0; i < 2; i += 1) await kernel.forwarding.removeFile()
    assert.equal(await kernel.forwarding.readFile(), null)
  })
}
