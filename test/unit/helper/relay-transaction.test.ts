// Relay rules through the transaction, with a fault at every change, over the fake kernel.
import assert from 'node:assert/strict'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { applyRuleset } from '@panel/root-helper/nouns/ruleset/handlers.ts'
import { asHostRules } from '@panel/root-helper/nouns/ruleset/subject.ts'
import { recover } from '@panel/root-helper/recover.ts'
import { transactionsOf } from '@panel/root-helper/nouns/transactions.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FaultyKernel, from, onlyAt } from '../../support/faulty.ts'
import { inProcessHelper, noJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const one = exampleRule({ route_rule_id: 1 })
const two = exampleRule({ route_rule_id: 2, bind_port: 8443, sort_order: 2 })
const apply = (kernel: Kernel, change: Change<RelayRule[]>) => applyRuleset(kernel.rulesets, noJournal(), change)

async function hostWith(...rules: RelayRule[]): Promise<FakeKernel> {
  const kernel = new FakeKernel()
  if (rules.length > 0) await apply(kernel, { before: null, after: rules })
  kernel.changes.length = 0
  return kernel
}

const CHANGES: Record<string, Change<RelayRule[]>> = {
  'a creation': { before: null, after: [two] },
  'an update': { before: [one], after: [{ ...one, bind_port: 444 }] },
  'a new order': { before: [one], after: [{ ...one, sort_order: 9 }] },
  'a deletion': { before: [one], after: null },
}

describe('A change of relay rules', () => {
  quietly()
  for (const [what, change] of Object.entries(CHANGES)) {
    it(`names its rules and leaves the others, as ${what} does`, async () => {
      const kernel = await hostWith(one)
      const { outcome, checks } = await apply(kernel, change)
      assert.equal(outcome, 'applied')
      assert.ok(checks.length > 0 && checks.every(({ ok }) => ok))
      const expected = [one]
        .filter(({ route_rule_id }) => !change.before?.some((rule) => rule.route_rule_id === route_rule_id))
        .concat(change.after ?? [])
      assert.deepEqual((await kernel.rulesets.read()).rules, expected)
    })

    it(`leaves the host as it was when ${what} is refused or is not there afterwards`, async () => {
      for (const fault of ['refuses', 'half', 'lies'] as const) {
        const kernel = await hostWith(one)
        const picture = kernel.picture()
        const { outcome } = await apply(new FaultyKernel(kernel, onlyAt(1, fault)), change)
        assert.deepEqual([outcome, kernel.picture()], ['restored', picture])
      }
    })
  }

  it('is refused if the host holds something else, and the kernel gets no request', async () => {
    const kernel = await hostWith(one)
    await assert.rejects(apply(kernel, { before: null, after: [{ ...one, bind_port: 444 }] }), {
      code: 'stale_state',
      message: /rule 1: 1\.exists should be no, and is yes/,
    })
    assert.deepEqual(kernel.changes, [])
  })

  it('is refused where a rule is none', async () => {
    const kernel = await hostWith()
    const wrong: Partial<RelayRule>[] = [
      { bind_address: '2001:db8::1' },
      { bind_port_range_end: 1 },
      { nat_mode: 'snat' },
      { allowed_sources: ['::/64'] },
      { bind_port: 1, bind_port_range_end: 65_535 },
      { bind_address: '1.2.3' },
    ]
    for (const fields of wrong)
      await assert.rejects(
        apply(kernel, { before: null, after: [{ ...one, ...fields }] }),
        { code: 'malformed' },
        JSON.stringify(fields),
      )
    await assert.rejects(apply(kernel, { before: null, after: [one, one] }), {
      code: 'malformed',
      message: /named twice/,
    })
    await assert.rejects(apply(kernel, { before: null, after: null }), { code: 'malformed' })
  })

  it('leaves no pieces of a rule that could not be read back', async () => {
    const kernel = await hostWith(one)
    const picture = kernel.picture()
    const read = kernel.rulesets.read.bind(kernel.rulesets)
    kernel.rulesets.read = async () => {
      const held = await read()
      const isTorn = held.rules.some(({ route_rule_id }) => route_rule_id === 2)
      return {
        ...held,
        rules: held.rules.filter(({ route_rule_id }) => route_rule_id !== 2),
        damaged: isTorn ? [{ route_rule_id: 2, detail: 'torn' }] : [],
      }
    }
    const { outcome, steps } = await apply(kernel, { before: null, after: [two] })
    assert.deepEqual([outcome, steps], ['restored', ['ruleset_submit', 'ruleset_submit', 'counters_remove']])
    assert.equal(kernel.picture(), picture)
  })

  it('is refused where it would shift more ports than the kernel should hold, and not where they are kept', async () => {
    const wide = { ...one, bind_port: 1000, bind_port_range_end: 34_000, balance: 'round_robin' as const }
    const to = (port: number) =>
      ['10.9.0.2', '10.9.0.3'].map((address) => ({ address, port, port_range_end: null, weight: 1, ...IN_ROTATION }))
    const kernel = await hostWith()
    await assert.rejects(apply(kernel, { before: null, after: [{ ...wide, destinations: to(2000) }] }), {
      code: 'unsupported',
      message: /shifts 66002 ports/,
    })
    assert.deepEqual(kernel.changes, [])
    assert.equal(
      (await apply(kernel, { before: null, after: [{ ...wide, destinations: to(1000) }] })).outcome,
      'applied',
    )
  })

  it('says what the counters of a deleted rule last held, and keeps those of a rule that was only changed', async () => {
    const kernel = await hostWith(one, two)
    kernel.rulesets.relay(1, { tx_bytes: 10, rx_packets: 2 })
    const changed = await apply(kernel, { before: [one], after: [{ ...one, bind_port: 444 }] })
    assert.deepEqual(changed.last_counters, [])
    const { last_counters } = await apply(kernel, { before: [{ ...one, bind_port: 444 }], after: null })
    assert.deepEqual(last_counters, [{ route_rule_id: 1, tx_bytes: 10, tx_packets: 0, rx_bytes: 0, rx_packets: 2 }])
    assert.deepEqual(
      (await kernel.rulesets.counters()).counters.map(({ route_rule_id }) => route_rule_id),
      [2],
    )
  })

  it('tells a change of many rules field by field only where one is not as wanted', async () => {
    const many = Array.from({ length: 100 }, (_, i) => exampleRule({ route_rule_id: i + 1, bind_port: 1000 + i }))
    const { checks } = await apply(await hostWith(), { before: null, after: many })
    assert.deepEqual([checks.length, checks.every(({ name, ok }) => ok && name.endsWith('.exists'))], [100, true])
  })

  it('is put back by the next helper where this one was killed in it', async () => {
    const kernel = await hostWith(one)
    const picture = kernel.picture()
    const change = { before: asHostRules([one]), after: asHostRules([two]) }
    await kernel.rulesets.submit([1], [two])
    await kernel.rulesets.saveForBoot([1], [two])
    let cut: { noun: string; change: Change<unknown> } | null = { noun: 'ruleset', change }
    const journal = { ...noJournal(), read: async () => cut, end: async () => void (cut = null) }
    await recover(journal, transactionsOf(kernel, journal))
    assert.deepEqual([kernel.picture(), cut], [picture, null])
  })

  it('is stuck, and says what to do, when undoing it fails too', async () => {
    const { outcome, remediation } = await apply(
      new FaultyKernel(await hostWith(one), (requests) => from(1, requests === 1 ? 'half' : 'refuses')(requests)),
      { before: [one], after: null },
    )
    assert.equal(outcome, 'stuck')
    assert.ok(remediation.length > 0)
  })

  it('can be looked at and requested over the table of methods, page by page', async () => {
    const { request } = inProcessHelper(await hostWith())
    const rules = Array.from({ length: 2000 }, (_, i) =>
      exampleRule({
        route_rule_id: i + 1,
        bind_port: 1000 + i,
        allowed_sources: Array.from({ length: 40 }, (_, k) => `10.${k}.${i % 256}.0/24`),
      }),
    )
    for (let at = 0; at < 2000; at += 500)
      assert.equal(
        (await request('ruleset.apply', { before: null, after: rules.slice(at, at + 500) })).outcome,
        'applied',
      )
    const seen: RelayRule[] = []
    for (let from_id: number | null = 0; from_id !== null;) {
      const page: Awaited<ReturnType<typeof request<'ruleset.probe'>>> = await request('ruleset.probe', {
        route_rule_ids: [],
        from_id,
      })
      seen.push(...page.rules)
      from_id = page.next_id
    }
    assert.deepEqual(seen, rules)
    assert.deepEqual((await request('ruleset.probe', { route_rule_ids: [7], from_id: 0 })).rules, [rules[6]])
    assert.equal((await request('ruleset.counters', { route_rule_ids: [7], from_id: 0 })).counters.length, 1)
    assert.equal((await request('ruleset.verify', { before: null, after: [{ ...rules[6]!, bind_port: 1 }] })).ok, false)
  })

  it('is refused as unsupported, and counters are unreadable, if the host has no backend', async () => {
    const kernel = await hostWith()
    kernel.rulesets.unreadable = 'nft is not installed'
    await assert.rejects(apply(kernel, CHANGES['a creation']!), { code: 'kernel_refused' })
    const { is_readable, detail } = await inProcessHelper(kernel).request('ruleset.counters', {
      route_rule_ids: [],
      from_id: 0,
    })
    assert.deepEqual([is_readable, detail], [false, 'nft is not installed'])
  })
})
