// The rules for boot in their file: a long list is followed by lines, and whatever is cut short is the list before.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { bootRulesIn } from '@panel/root-helper/kernel/files/boot-rules.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { memoryFolder } from '../../support/memory-folder.ts'

const NAME = 'ruleset.json'
const rule = (route_rule_id: number, port = 443): RelayRule =>
  exampleRule({ route_rule_id, sort_order: route_rule_id, bind_port: port })
/** Long enough that a change is a line. */
const MANY = Array.from({ length: 300 }, (_, at) => rule(at + 1))

async function long() {
  const folder = memoryFolder()
  const boot = bootRulesIn(folder)
  await boot.change([], MANY)
  const whole = folder.read(NAME) ?? ''
  return { folder, boot, whole }
}
const readAgain = (text: string) => {
  const folder = memoryFolder()
  void folder.write(NAME, text)
  return bootRulesIn(folder)
}

describe('The rules that boot brings back', () => {
  it('are the same to the next helper, whatever was changed, and one change of many does not write all again', async () => {
    const { folder, boot, whole } = await long()
    const changes = fc.record({
      gone: fc.uniqueArray(fc.integer({ min: 1, max: 310 }), { maxLength: 3 }),
      put: fc.uniqueArray(fc.integer({ min: 1, max: 310 }), { maxLength: 3 }),
      port: fc.integer({ min: 1, max: 65_535 }),
    })
    const { write } = folder
    let written = 0
    folder.write = (name, text) => {
      written += 1
      return write(name, text)
    }
    await fc.assert(
      fc.asyncProperty(changes, async ({ gone, put, port }) => {
        await boot.change(
          gone,
          put.map((id) => rule(id, port)),
        )
        assert.deepEqual(readAgain(folder.read(NAME) ?? '').held(), boot.held())
      }),
      { numRuns: 300 },
    )
    assert.ok(written < 30, `the list was written ${written} times`)
    assert.ok((folder.read(NAME) ?? '').length < 1.5 * whole.length)
  })

  it('are those before a change whose line was cut short anywhere, and the next change is kept', async () => {
    const { folder, boot, whole } = await long()
    await boot.change([7], [rule(1, 8443)])
    const text = folder.read(NAME) ?? ''
    for (let end = whole.length; end < text.length; end += 1) {
      const next = readAgain(text.slice(0, end))
      assert.deepEqual(next.held(), { boot_rules: MANY, boot_trouble: null })
    }
    const next = readAgain(text.slice(0, -5))
    await next.change([8], [])
    assert.deepEqual(
      next.held().boot_rules,
      MANY.filter(({ route_rule_id }) => route_rule_id !== 8),
    )
  })

  it('are not appended to what a full disk may have cut short, but written again', async () => {
    const { folder, boot } = await long()
    const { append } = folder
    folder.append = async (name, content) => {
      await append(name, content.slice(0, 9))
      throw new Error('The disk is full')
    }
    await assert.rejects(boot.change([1], []), /full/)
    assert.deepEqual(boot.held().boot_rules, MANY)
    folder.append = append
    await boot.change([2], [])
    const left = MANY.filter(({ route_rule_id }) => route_rule_id !== 2)
    assert.deepEqual([boot.held().boot_rules, readAgain(folder.read(NAME) ?? '').held().boot_rules], [left, left])
  })

  for (const line of ['{', '{"gone":5,"put":[]}', '{"gone":[],"put":[{}]}', 'null'])
    it(`are damaged where a whole line is ${line}`, async () => {
      const { whole } = await long()
      assert.match(readAgain(`${whole}\n${line}\n`).held().boot_trouble ?? '', /ruleset\.json is damaged/)
    })
})
