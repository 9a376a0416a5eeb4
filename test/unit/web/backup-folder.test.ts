// The directory of encrypted backups: what is written there, and what is deleted.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileName, Folder } from '@panel/web-daemon/features/backup-elsewhere/folder.ts'

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day))

describe('The directory of encrypted backups', () => {
  let path: string
  let folder: Folder
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'backup-folder-'))
    folder = new Folder({ path, state_dir: '/nonexistent' })
  })
  afterEach(() => rmSync(path, { recursive: true }))

  it('keeps the one just made, even if the clock was set back', async () => {
    for (const day of [10, 11]) await folder.write(fileName(at(day)), String(day), 2)
    await folder.write(fileName(at(1)), 'made', 1)
    assert.deepEqual(readdirSync(path), [fileName(at(1))])
  })

  it('lists the newest first', async () => {
    for (const day of [2, 3, 1]) await folder.write(fileName(at(day)), String(day), 9)
    assert.deepEqual(
      (await folder.look()).files.map(({ name }) => name),
      [3, 2, 1].map((day) => fileName(at(day))),
    )
  })

  it('writes through no link that stands in the place of a file', async () => {
    const outside = join(path, 'outside')
    writeFileSync(outside, 'theirs')
    symlinkSync(outside, join(path, fileName(at(1))))
    symlinkSync(outside, join(path, `${fileName(at(1))}.part`))
    await folder.write(fileName(at(1)), 'ours', 9)
    assert.equal(readFileSync(outside, 'utf8'), 'theirs')
    assert.equal(readFileSync(join(path, fileName(at(1))), 'utf8'), 'ours')
  })
})
