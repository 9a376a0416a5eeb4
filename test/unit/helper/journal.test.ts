// The journal in its file: each change is a line, and so is its end; whatever is cut short never began, or never ended.
import assert from 'node:assert/strict'
import { journalIn } from '@panel/root-helper/kernel/files/journal.ts'
import { asStates } from '@panel/shared/tunnel/plans.ts'
import { exampleTunnel } from '../../support/example.ts'
import { memoryFolder } from '../../support/memory-folder.ts'

const NAME = 'change-under-way.json'
const change = (title: string) => asStates({ before: null, after: { ...exampleTunnel(), interface_name: title } })
const full = () => Promise.reject(new Error('The disk is full'))

const text = ({ read }: ReturnType<typeof memoryFolder>): string => read(NAME) ?? ''
/** What the next helper finds in such a file. */
async function found(content: string | null) {
  const folder = memoryFolder()
  if (content !== null) await folder.write(NAME, content)
  return journalIn(folder).read()
}

/** A first change that has ended, so that whatever follows is a line. */
async function begun() {
  const folder = memoryFolder()
  const journal = journalIn(folder)
  await journal.begin('tunnel', change('first'))
  const first = text(folder)
  await journal.end(true)
  return { folder, journal, first }
}

describe('The journal of changes', () => {
  it('holds the change under way, and none once it has ended', async () => {
    const { folder, journal, first } = await begun()
    assert.deepEqual(await found(first), { noun: 'tunnel', change: change('first') })
    assert.equal(await found(text(folder)), null)
    await journal.begin('tunnel', change('second'))
    assert.deepEqual(await found(text(folder)), { noun: 'tunnel', change: change('second') })
    await journal.end(false)
    assert.equal(await found(text(folder)), null)
  })

  it('is written whole once, and a line is appended for each beginning and each end', async () => {
    const { folder, journal } = await begun()
    folder.write = full
    folder.remove = full
    for (let at = 0; at < 20; at += 1) {
      await journal.begin('tunnel', change(`t${at}`))
      await journal.end(true)
    }
    assert.equal(await found(text(folder)), null)
  })

  it('has not begun a change whose line is cut short anywhere, and has not ended one whose end is', async () => {
    const { folder, journal } = await begun()
    const before = text(folder)
    await journal.begin('tunnel', change('second'))
    const under_way = text(folder)
    for (let end = before.length; end < under_way.length; end += 1)
      assert.equal(await found(under_way.slice(0, end)), null)
    await journal.end(true)
    const ended = text(folder)
    for (let end = under_way.length; end < ended.length; end += 1)
      assert.deepEqual((await found(ended.slice(0, end)))?.change, change('second'))
  })

  it('appends nothing to what a full disk may have cut short: the next change takes the place of the file', async () => {
    const { folder, journal } = await begun()
    const { append } = folder
    folder.append = async (name, content) => {
      await append(name, content.slice(0, 30))
      return full()
    }
    await assert.rejects(journal.begin('tunnel', change('second')), /full/)
    assert.equal(await found(text(folder)), null)
    folder.append = append
    await journal.begin('tunnel', change('third'))
    assert.deepEqual(JSON.parse(text(folder)), { noun: 'tunnel', change: change('third') })
  })

  it('is removed with the change that ends while the disk is full', async () => {
    const { folder, journal } = await begun()
    await journal.begin('tunnel', change('second'))
    folder.append = full
    await journal.end(true)
    assert.equal(folder.read(NAME), null)
  })

  it('has not ended where it can neither be appended to nor removed', async () => {
    const { folder, journal } = await begun()
    await journal.begin('tunnel', change('second'))
    Object.assign(folder, { append: full, remove: full })
    await assert.rejects(journal.end(true), /full/)
    assert.deepEqual((await found(text(folder)))?.change, change('second'))
  })

  it('does not grow without bound, and a long change takes the file with it', async () => {
    const { folder, journal } = await begun()
    for (let at = 0; at < 500; at += 1) {
      await journal.begin('tunnel', change(`t${at}`))
      await journal.end(true)
      assert.ok(text(folder).length <= 64 * 1024)
    }
    await journal.begin('tunnel', change('x'.repeat(100_000)))
    await journal.end(true)
    assert.equal(folder.read(NAME), null)
  })

  it('takes the place of what an earlier helper left, whatever that is', async () => {
    const { folder } = await begun()
    const before = text(folder)
    await folder.write(NAME, before.slice(0, -5))
    const next = journalIn(folder)
    assert.deepEqual((await next.read())?.change, change('first'))
    await next.begin('tunnel', change('second'))
    assert.deepEqual((await found(text(folder)))?.change, change('second'))
    assert.ok(!text(folder).includes('first'))
  })
})
