// The helper's own files, damaged in every way: it starts, begins no change that needs them, and names the file and
// what to do.
import { verbatim } from '@panel/shared/messages/message.ts'
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asStates } from '@panel/shared/tunnel/plans.ts'
import { bootRulesIn } from '@panel/root-helper/kernel/files/boot-rules.ts'
import { journalIn } from '@panel/root-helper/kernel/files/journal.ts'
import { stateFolder } from '@panel/root-helper/kernel/files/state-folder.ts'
import { startRules } from '@panel/root-helper/nouns/ruleset/start.ts'
import { transactionsOf } from '@panel/root-helper/nouns/transactions.ts'
import { tunnelSubject } from '@panel/root-helper/nouns/tunnel/subject.ts'
import { recover } from '@panel/root-helper/recover.ts'
import { RefusedError } from '@panel/root-helper/refused.ts'
import type { Journal } from '@panel/root-helper/subject.ts'
import { Transaction } from '@panel/root-helper/transaction.ts'
import { exampleTunnel } from '../../support/example.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { noJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const DAMAGED: Record<string, string> = {
  'is empty': '',
  'is garbage': '\0\u0001garbage',
  'is no object': 'null',
  'is a list': '[]',
  'is of another shape': '{"noun":"tunnel"}',
  'has a change of another shape': '{"noun":"tunnel","change":{"before":5,"after":"x"}}',
  'speaks of something unknown': '{"noun":"quota","change":{"before":null,"after":null}}',
}

describe("The helper's own files", () => {
  quietly()
  let folder: string
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'panel-state-'))))
  afterEach(() => rmSync(folder, { recursive: true }))
  const path = (name: string): string => join(folder, name)

  for (const [what, content] of Object.entries(DAMAGED)) {
    it(`a journal that ${what} lets the helper start, and no change begin until it is set aside`, async () => {
      writeFileSync(path('change-under-way.json'), content)
      const kernel = new FakeKernel()
      const start = async () => {
        const journal = journalIn(stateFolder(folder))
        await recover(journal, transactionsOf(kernel, journal))
        return { journal, tunnels: new Transaction(tunnelSubject(kernel), journal) }
      }
      const creation = asStates({ before: null, after: exampleTunnel() })
      const { journal, tunnels } = await start()
      await assert.rejects(tunnels.apply(creation), {
        code: 'state_unusable',
        message: /change-under-way\.json is damaged \(.+\).*sudo tunnel-panel set-aside change-under-way\.json/,
      })
      assert.match(journal.blocked() ?? '', /is damaged/)
      assert.deepEqual([kernel.changes, readFileSync(path('change-under-way.json'), 'utf8')], [[], content])
      rmSync(path('change-under-way.json'))
      assert.equal((await (await start()).tunnels.apply(creation)).outcome, 'applied')
    })
  }

  it('a journal that is a link to somewhere else is damaged too', async () => {
    symlinkSync('/etc/hostname', path('change-under-way.json'))
    const journal = journalIn(stateFolder(folder))
    await recover(journal, [])
    assert.match(journal.blocked() ?? '', /not a plain file/)
  })

  for (const content of ['', 'garbage', 'null', '{"rules":5}', '{"rules":[{}]}']) {
    it(`rules for boot that are ${JSON.stringify(content)} are none, with the reason, and are not written over`, async () => {
      writeFileSync(path('ruleset.json'), content)
      const boot = bootRulesIn(stateFolder(folder))
      const { boot_rules, boot_trouble } = boot.held()
      assert.deepEqual(boot_rules, [])
      assert.match(boot_trouble ?? '', /ruleset\.json is damaged \(.+\).*sudo tunnel-panel set-aside ruleset\.json/)
      await assert.rejects(boot.change([], [exampleRule()]), { code: 'state_unusable' })
      assert.equal(readFileSync(path('ruleset.json'), 'utf8'), content)
      rmSync(path('ruleset.json'))
      await boot.change([], [exampleRule()])
      assert.deepEqual(boot.held(), { boot_rules: [exampleRule()], boot_trouble: null })
    })
  }

  it('relay rules come back at the start although the journal cannot be written', async () => {
    const kernel = new FakeKernel()
    kernel.rulesets.boot.set(1, exampleRule({ route_rule_id: 1 }))
    const full: Journal = {
      isKept: () => false,
      begin: () => Promise.reject(new RefusedError('state_unusable', verbatim('The disk is full'))),
      end: async () => undefined,
    }
    await startRules(kernel, full)
    assert.deepEqual([...kernel.rulesets.rules.keys()], [1])
  })

  it('a change whose journal cannot be removed is put back, since the next helper would undo it', async () => {
    const kernel = new FakeKernel()
    const picture = kernel.picture()
    const end = () => Promise.reject(new RefusedError('state_unusable', verbatim('The disk is read-only')))
    const tunnels = new Transaction(tunnelSubject(kernel), { ...noJournal(), end })
    const { outcome, failure } = await tunnels.apply(asStates({ before: null, after: exampleTunnel() }))
    assert.deepEqual([outcome, failure?.message, kernel.picture()], ['restored', 'The disk is read-only', picture])
  })
})
