// Every file of the helper's own, damaged in every way: the advice names that file and no other, and nothing that the
// file holds is in an answer or in the log.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NetworksRecord } from '@panel/root-helper/kernel/networks/record.ts'
import { AnswersRecord } from '@panel/root-helper/kernel/answers/record.ts'
import { FlowLog } from '@panel/root-helper/kernel/conntrack/flow-log.ts'
import { liveIn } from '@panel/root-helper/kernel/conntrack/fast-flows.ts'
import { bootRulesIn } from '@panel/root-helper/kernel/files/boot-rules.ts'
import { journalIn } from '@panel/root-helper/kernel/files/journal.ts'
import { ownLinksIn } from '@panel/root-helper/kernel/files/own-links.ts'
import { readWritten, stateFolder, UnusableFile } from '@panel/root-helper/kernel/files/state-folder.ts'
import { readConfig } from '@panel/root-helper/config.ts'
import { windowsOver } from '@panel/root-helper/helper.ts'
import { transactionsOf } from '@panel/root-helper/nouns/transactions.ts'
import { recover } from '@panel/root-helper/recover.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { noJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

/** Stands in every damaged file, and must stand nowhere else. */
const CONTENT = 'qX7content'

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'is binary': (path) => writeFileSync(path, Buffer.from(`\0\u0001${CONTENT}\xff\xfe`, 'latin1')),
  'is zero-filled': (path) => writeFileSync(path, Buffer.alloc(4096)),
  'is cut off': (path) => writeFileSync(path, `{"${CONTENT}":{"${CONTENT}`),
  'is empty': (path) => writeFileSync(path, ''),
  'is null': (path) => writeFileSync(path, 'null'),
  'is a number': (path) => writeFileSync(path, '5'),
  'is a text': (path) => writeFileSync(path, `"${CONTENT}"`),
  'is a list': (path) => writeFileSync(path, `["${CONTENT}"]`),
  'is of another shape': (path) => writeFileSync(path, `{"${CONTENT}":1}`),
  'is of another format': (path) => writeFileSync(path, `{"format":"${CONTENT}"}`),
  'is of something unknown': (path) =>
    writeFileSync(path, `{"noun":"${CONTENT}","change":{"before":null,"after":null},"boot_id":5,"rules":"${CONTENT}"}`),
  'has values of another kind': (path) =>
    writeFileSync(path, `{"noun":"tunnel","change":{"before":"${CONTENT}","after":5},"rules":["${CONTENT}"]}`),
  'is a folder': (path) => mkdirSync(path),
  'is a link': (path) => symlinkSync('/etc/hostname', path),
}

type Trouble = (folder: string) => Promise<string | null>

const journal: Trouble = async (folder) => {
  const file = journalIn(stateFolder(folder))
  await recover(file, transactionsOf(new FakeKernel(), file))
  return file.blocked()
}
const windows: Trouble = async (folder) => {
  const config = readConfig({ PANEL_HELPER_STATE_DIR: folder })
  const { windows: held } = await windowsOver(config, new FakeKernel(), noJournal())
  await held.resume()
  return held.trouble()
}
const FILES: Readonly<Record<string, Trouble>> = {
  'change-under-way.json': journal,
  'ruleset.json': async (folder) => bootRulesIn(stateFolder(folder)).held().boot_trouble,
  'links.json': async (folder) => ownLinksIn(stateFolder(folder), 'one').trouble(),
  'answers.json': async (folder) => new AnswersRecord(stateFolder(folder)).trouble,
  'networks.json': async (folder) => new NetworksRecord(stateFolder(folder)).trouble,
  'window.json': windows,
  'window-ended.json': windows,
}

describe('A file of the helper that', () => {
  const log = quietly()
  let folder: string
  beforeEach(() => {
    log.length = 0
    folder = mkdtempSync(join(tmpdir(), 'panel-damaged-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  for (const [damage, make] of Object.entries(DAMAGES))
    for (const [name, troubleOf] of Object.entries(FILES))
      it(`${damage} is named by the advice, and nothing that it holds is: ${name}`, async () => {
        make(join(folder, name))
        const trouble = (await troubleOf(folder)) ?? ''
        const named = [...trouble.matchAll(/[a-z-]+\.json/g)].map(([file]) => file)
        assert.deepEqual([...new Set(named)], [name], trouble)
        assert.match(trouble, new RegExp(`${name} is damaged \\(.+\\).*sudo tunnel-panel set-aside ${name}"`))
        for (const text of [trouble, ...log]) assert.ok(!text.includes(CONTENT), text)
        for (const text of [trouble, ...log]) assert.ok(!/[\0\ufffd]|\\u0000/.test(text), text)
      })

  it('cannot be read is named with the code of the system', () => {
    const unreadable = {
      read: (): string => {
        throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
      },
    }
    assert.throws(
      () => readWritten(unreadable, 'links.json', JSON.parse),
      (error) => error instanceof UnusableFile && error.file === 'links.json' && / \(EIO\)/.test(error.why.message),
    )
  })

  for (const content of [
    `\0${CONTENT}\n`,
    `{"${CONTENT}\n`,
    `"${CONTENT}"\n5\n`,
    `{"boot_id":"one","epoch":"e"}\n["${CONTENT}"]\n`,
  ])
    it(`holds what flows have carried is set aside where it is ${JSON.stringify(content)}, and counting begins again`, () => {
      const path = join(folder, 'fast-path-ended')
      writeFileSync(path, content)
      const flows = new FlowLog(path, 'one')
      assert.deepEqual([...flows.sums], [])
      flows.close()
      for (const text of log) assert.ok(!text.includes(CONTENT), text)
      assert.ok(log.some((text) => text.includes('set aside')))
    })

  it('holds flows that live loses those lines alone that cannot be made out', () => {
    const flow = { key: 'k', route_rule_id: 1, tx_bytes: 1, tx_packets: 1, rx_bytes: 1, rx_packets: 1, missing: null }
    const lines = ['e', '\0garbage', '{"cut', 'null', '{"key":"k"}', JSON.stringify(flow), '']
    assert.deepEqual([...liveIn(lines.join('\n'), 'e').keys()], ['k'])
  })
})
