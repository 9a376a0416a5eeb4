// What a helper does for relay rules beside a change of theirs, with a fault at every step: it forgets them, brings
// them back and hands them over.
import assert from 'node:assert/strict'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { applyRuleset, forgetRules } from '@panel/root-helper/nouns/ruleset/handlers.ts'
import { holdsRules, startRules } from '@panel/root-helper/nouns/ruleset/start.ts'
import { transactionsOf } from '@panel/root-helper/nouns/transactions.ts'
import { recover } from '@panel/root-helper/recover.ts'
import { asHostRules } from '@panel/root-helper/nouns/ruleset/subject.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FaultyKernel, from, onlyAt } from '../../support/faulty.ts'
import { memoryJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const one = exampleRule({ route_rule_id: 1 })
const two = exampleRule({ route_rule_id: 2, bind_port: 8443, sort_order: 2 })
const fast = { ...two, is_fast_path: true }
const limited = exampleRule({ route_rule_id: 3, bind_port: 90, max_connections_per_source: 5, sort_order: 3 })

type Journal = ReturnType<typeof memoryJournal>

interface Work {
  readonly host: () => Promise<FakeKernel>
  readonly run: (kernel: Kernel, journal: Journal) => Promise<unknown>
}

async function hostWith(...rules: RelayRule[]): Promise<FakeKernel> {
  const kernel = new FakeKernel()
  await applyRuleset(kernel.rulesets, memoryJournal(), { before: null, after: rules })
  kernel.changes.length = 0
  return kernel
}

const WORK: Record<string, Work> = {
  'forgetting a rule that is damaged': {
    host: async () => {
      const kernel = await hostWith(one, two)
      kernel.rulesets.rules.delete(2)
      kernel.rulesets.damaged = [{ route_rule_id: 2, detail: 'torn' }]
      return kernel
    },
    run: ({ rulesets }, journal) =>
      forgetRules(rulesets, journal, { route_rule_ids: [2] }).catch((error: Error) => error.message),
  },
  'bringing the rules back at start': {
    host: async () => {
      const kernel = await hostWith(one, two)
      kernel.rulesets.flush()
      return kernel
    },
    run: (kernel, journal) => startRules(kernel, journal),
  },
  'handing the rules over to another backend': {
    host: async () => {
      const kernel = new FakeKernel()
      kernel.ruleBackends.takeOverFrom('iptables_legacy', [one, two])
      for (const rule of [one, two]) kernel.rulesets.boot.set(rule.route_rule_id, rule)
      return kernel
    },
    run: (kernel, journal) => startRules(kernel, journal),
  },
}

/** Pieces of a rule cannot be put back, and counters neither. */
const picture = (kernel: FakeKernel): string => {
  const { rules, boot } = kernel.rulesets
  const { former, written } = kernel.ruleBackends
  const ids = (all: Map<number, RelayRule>): number[] => [...all.keys()].sort()
  return JSON.stringify([ids(rules), ids(boot), former && ids(former.rules), written])
}

/** The next helper on the same host and the same disk. */
async function startAgain(kernel: FakeKernel, journal: Journal): Promise<void> {
  const hadTable = await holdsRules(kernel)
  await recover(journal, transactionsOf(kernel, journal))
  await startRules(kernel, journal, hadTable)
}

describe('Beside the changes of relay rules,', () => {
  quietly()
  for (const [what, { host, run }] of Object.entries(WORK)) {
    const outcomes = async () => {
      const kernel = await host()
      const before = picture(kernel)
      const counting = new FaultyKernel(kernel, () => null)
      await run(counting, memoryJournal())
      return { before, after: picture(kernel), changes: counting.requests }
    }

    it(`${what} leaves nothing in the journal`, async () => {
      const [kernel, journal] = [await host(), memoryJournal()]
      await run(kernel, journal)
      const { before, after, changes } = await outcomes()
      assert.notEqual(after, before)
      assert.ok(changes > 0)
      assert.equal(picture(kernel), after)
      assert.equal(await journal.read(), null)
    })

    it(`${what} is undone where any step of it is refused, done by half or not done`, async () => {
      const { before, after, changes } = await outcomes()
      for (const fault of ['refuses', 'half', 'lies'] as const) {
        for (let at = 1; at <= changes; at += 1) {
          const [kernel, journal] = [await host(), memoryJournal()]
          await run(new FaultyKernel(kernel, onlyAt(at, fault)), journal)
          assert.ok([before, after].includes(picture(kernel)), `${fault} at ${at}: ${picture(kernel)}`)
          assert.equal(await journal.read(), null)
        }
      }
    })

    it(`${what} leaves the host before or after it where the helper is killed at any step of it`, async () => {
      const { before, after, changes } = await outcomes()
      for (const fault of ['refuses', 'half'] as const) {
        for (let at = 1; at <= changes; at += 1) {
          const [kernel, journal] = [await host(), memoryJournal()]
          const killed = new FaultyKernel(kernel, (request) => (request === at ? fault : from(at, 'refuses')(request)))
          await run(killed, journal)
          await recover(journal, transactionsOf(kernel, journal))
          assert.ok([before, after].includes(picture(kernel)), `${fault} at ${at}: ${picture(kernel)}`)
          assert.equal(await journal.read(), null)
        }
      }
    })
  }

  it('a start after a start that was killed ends where one start would have', async () => {
    for (const what of ['bringing the rules back at start', 'handing the rules over to another backend']) {
      const { host, run } = WORK[what] ?? assert.fail()
      const clean = await host()
      const counting = new FaultyKernel(clean, () => null)
      await run(counting, memoryJournal())
      for (let at = 1; at <= counting.requests; at += 1) {
        const [kernel, journal] = [await host(), memoryJournal()]
        await run(new FaultyKernel(kernel, from(at, 'refuses')), journal)
        await startAgain(kernel, journal)
        assert.equal(picture(kernel), picture(clean), `${what}, step ${at}`)
      }
    }
  })

  for (const isAble of [true, false])
    for (const [what, host] of Object.entries({
      'brought back': async () => {
        const kernel = await hostWith(one, fast)
        kernel.rulesets.flush()
        return kernel
      },
      'handed over to another backend': async () => {
        const kernel = new FakeKernel()
        kernel.ruleBackends.takeOverFrom('iptables_legacy', [one, two])
        for (const rule of [one, fast]) kernel.rulesets.boot.set(rule.route_rule_id, rule)
        return kernel
      },
    }))
      it(`a rule of the fast path is ${what} ${isAble ? 'on it' : 'without it where the kernel has none'}`, async () => {
        const kernel = await host()
        if (!isAble) kernel.rulesets.fast = { is_able: false, detail: 'no such module' }
        await startRules(kernel, memoryJournal())
        const { rules, boot } = kernel.rulesets
        assert.deepEqual([...rules.keys()].sort(), [1, 2])
        assert.equal(rules.get(1)?.is_fast_path, undefined)
        assert.equal(rules.get(2)?.is_fast_path === true, isAble)
        // A later kernel may have it, so what boot brings back stays as it was accepted.
        assert.equal(boot.get(2)?.is_fast_path, true)
      })

  it('a power cut in a change of one rule loses no other one', async () => {
    const [kernel, journal] = [await hostWith(one, two), memoryJournal()]
    const changed = { ...one, bind_port: 8099 }
    await journal.begin('ruleset', { before: asHostRules([one]), after: asHostRules([changed]) })
    kernel.rulesets.flush()
    await startAgain(kernel, journal)
    assert.deepEqual((await kernel.rulesets.read()).rules, [one, two])
  })

  it('a rule that the new backend cannot hold stays among those that boot brings back', async () => {
    const kernel = new FakeKernel()
    kernel.rulesets.backend = 'iptables_legacy'
    kernel.ruleBackends.takeOverFrom('nftables', [one, limited])
    for (const rule of [one, limited]) kernel.rulesets.boot.set(rule.route_rule_id, rule)
    await startRules(kernel, memoryJournal())
    assert.equal(picture(kernel), JSON.stringify([[1], [1, 3], [], 'iptables_legacy']))
  })

  it('a change that was cut short between the kernel and the file for boot is undone in both', async () => {
    const [kernel, journal] = [await hostWith(one), memoryJournal()]
    const before = picture(kernel)
    await journal.begin('ruleset', { before: asHostRules([one]), after: asHostRules([one, two]) })
    await kernel.rulesets.saveForBoot([], [two])
    await recover(journal, transactionsOf(kernel, journal))
    assert.equal(picture(kernel), before)
  })

  it('a change of one rule leaves one alone that was removed by hand, in the kernel and for the next boot', async () => {
    const kernel = await hostWith(one, two)
    kernel.rulesets.rules.delete(2)
    const changed = { ...one, bind_port: 444 }
    const { outcome, checks } = await applyRuleset(kernel.rulesets, memoryJournal(), {
      before: [one],
      after: [changed],
    })
    assert.equal(outcome, 'applied')
    assert.ok(checks.every(({ name }) => name.startsWith('1.')))
    assert.deepEqual((await kernel.rulesets.read()).rules, [changed])
    assert.deepEqual((await kernel.rulesets.read()).boot_rules, [changed, two])
  })

  it('rules leave their backend only once the next one was read back', async () => {
    for (const fault of ['lies', 'half', 'refuses'] as const) {
      const kernel = new FakeKernel()
      kernel.ruleBackends.takeOverFrom('iptables_legacy', [one, two])
      for (const rule of [one, two]) kernel.rulesets.boot.set(rule.route_rule_id, rule)
      // The first change loads the rules into the next backend, and what is cleared or recorded comes after it.
      await startRules(new FaultyKernel(kernel, onlyAt(1, fault)), memoryJournal())
      assert.deepEqual([...(kernel.ruleBackends.former?.rules.keys() ?? [])], [1, 2], fault)
      assert.equal(kernel.ruleBackends.written, 'iptables_legacy')
      assert.ok(
        kernel.changes.every((change) => !change.includes('clear')),
        fault,
      )
    }
  })
})
