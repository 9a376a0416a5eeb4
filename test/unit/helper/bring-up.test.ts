// What a helper does before it serves, while the backend of its relay rules fails and once it works again.
import assert from 'node:assert/strict'
import { BringUp } from '@panel/root-helper/bring-up.ts'
import { applyRuleset } from '@panel/root-helper/nouns/ruleset/handlers.ts'
import { asHostRules } from '@panel/root-helper/nouns/ruleset/subject.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FaultyKernel, from } from '../../support/faulty.ts'
import { fakeWindows, memoryJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const one = exampleRule({ route_rule_id: 1 })
const two = exampleRule({ route_rule_id: 2, bind_port: 8443, sort_order: 2 })
const CRASHED = 'nft crashed (SIGABRT)'

describe('A helper that starts', () => {
  const lines = quietly()
  const logged = (): string[] => lines.splice(0).map((line) => (JSON.parse(line) as { detail?: string }).detail ?? '')
  beforeEach(() => void lines.splice(0))

  const helperOver = (kernel: Kernel, journal = memoryJournal()) => {
    const made = fakeWindows(kernel, { journal })
    return { ...made, journal, bringUp: new BringUp({ kernel, journal, ...made }) }
  }
  const hostWithRules = async (): Promise<FakeKernel> => {
    const kernel = new FakeKernel()
    await applyRuleset(kernel.rulesets, memoryJournal(), { before: null, after: [one, two] })
    return kernel
  }
  const fail = (kernel: FakeKernel, why: string): void => {
    kernel.ruleBackends.failing = kernel.rulesets.unreadable = why
  }
  const change = (helper: ReturnType<typeof helperOver>): Promise<string> => helper.inTurn(async () => 'changed')

  it('leaves the rules as they are while their backend fails, and says why once', async () => {
    const kernel = await hostWithRules()
    kernel.rulesets.rules.delete(2)
    const before = kernel.picture()
    fail(kernel, CRASHED)
    const { bringUp } = helperOver(kernel)
    assert.equal(await bringUp.attempt(), CRASHED)
    assert.equal(await bringUp.attempt(), CRASHED)
    assert.deepEqual(logged(), [CRASHED])
    fail(kernel, '')
    assert.equal(kernel.picture(), before)
    // A rule that was removed while the table stayed is drift, whichever try it was that worked.
    assert.equal(await bringUp.attempt(), null)
    assert.deepEqual([...kernel.rulesets.rules.keys()], [1])
  })

  it('brings the rules back once their backend works, if a boot took them', async () => {
    const kernel = await hostWithRules()
    kernel.rulesets.flush()
    fail(kernel, CRASHED)
    const { bringUp } = helperOver(kernel)
    await bringUp.attempt()
    fail(kernel, '')
    assert.equal(await bringUp.attempt(), null)
    assert.deepEqual([...kernel.rulesets.rules.keys()], [1, 2])
  })

  it('says why the rules could not be brought back, and tries it again', async () => {
    const kernel = await hostWithRules()
    kernel.rulesets.flush()
    const { bringUp } = helperOver(new FaultyKernel(kernel, from(1, 'refuses')))
    assert.match((await bringUp.attempt()) ?? '', /restored: .*Injected fault/)
    assert.match(logged().at(-1) ?? '', /restored: .*Injected fault/)
  })

  it('begins no change before one of rules that was cut short is put back, which waits for their backend', async () => {
    const kernel = await hostWithRules()
    const helper = helperOver(kernel)
    await helper.journal.begin('ruleset', { before: asHostRules([one, two]), after: asHostRules([one]) })
    await kernel.rulesets.submit([2], [])
    fail(kernel, CRASHED)
    assert.equal(await helper.bringUp.attempt(), CRASHED)
    await assert.rejects(change(helper), /cut short, and cannot be put back yet.*SIGABRT/)
    assert.notEqual(await helper.journal.read(), null)
    fail(kernel, '')
    assert.equal(await helper.bringUp.attempt(), null)
    assert.deepEqual([...kernel.rulesets.rules.keys()].sort(), [1, 2])
    assert.equal(await helper.journal.read(), null)
    assert.equal(await change(helper), 'changed')
  })

  it('puts back a change of another noun although the backend fails, and begins further ones', async () => {
    const kernel = await hostWithRules()
    const helper = helperOver(kernel)
    const { live, conntrack_max } = await kernel.forwarding.facts()
    const state = { live: { ...live }, conntrack_max, saved: null, accept_ra: {} }
    await helper.journal.begin('forwarding', { before: state, after: state })
    fail(kernel, CRASHED)
    assert.equal(await helper.bringUp.attempt(), CRASHED)
    assert.equal(await helper.journal.read(), null)
    assert.equal(await change(helper), 'changed')
  })

  it('moves no rule out of another backend that nobody has named, and changes none', async () => {
    const kernel = new FakeKernel()
    kernel.ruleBackends.takeOverFrom('iptables_legacy', [one, two])
    kernel.ruleBackends.isNamed = false
    for (const rule of [one, two]) kernel.rulesets.boot.set(rule.route_rule_id, rule)
    const before = kernel.picture()
    const { bringUp } = helperOver(kernel)
    assert.match((await bringUp.attempt()) ?? '', /in iptables_legacy too, beside nftables/)
    assert.equal(kernel.picture(), before)
    await assert.rejects(
      applyRuleset(kernel.rulesets, memoryJournal(), { before: null, after: [one] }),
      /PANEL_RULE_BACKEND/,
    )
    kernel.ruleBackends.isNamed = true
    assert.equal(await bringUp.attempt(), null)
    assert.deepEqual([...kernel.rulesets.rules.keys()], [1, 2])
    assert.equal(kernel.ruleBackends.former?.isPresent, false)
  })
})
