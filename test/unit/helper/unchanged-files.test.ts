// Files that are read once while they stay as they are, on a real file system.
import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unchangedFiles, unchangedFolders } from '@panel/root-helper/kernel/files/file-cache.ts'

describe('A file that is looked at again and again', function () {
  const folder = mkdtempSync(join(tmpdir(), 'panel-unchanged-'))
  const path = join(folder, 'unit')
  after(() => rmSync(folder, { recursive: true }))

  it('is seen as it is after every change, of the same length and with its times put back too', async () => {
    const read = unchangedFiles()
    assert.equal(read(path), null)
    for (const settled of [false, true]) {
      writeFileSync(path, 'one')
      if (settled) await sleep(2100)
      assert.deepEqual([read(path), read(path)], ['one', 'one'])
      writeFileSync(path, 'two')
      assert.equal(read(path), 'two')
      if (settled) await sleep(2100)
      assert.equal(read(path), 'two')
      writeFileSync(path, 'six')
      utimesSync(path, 0, 0)
      assert.equal(read(path), 'six')
      writeFileSync(`${path}.new`, 'ten')
      renameSync(`${path}.new`, path)
      assert.equal(read(path), 'ten')
    }
    rmSync(path)
    assert.equal(read(path), null)
    symlinkSync('/dev/null', path)
    assert.equal(read(path), '')
  })
})

describe('A folder that is listed again and again', function () {
  const parent = mkdtempSync(join(tmpdir(), 'panel-unchanged-'))
  const folder = join(parent, 'wants')
  after(() => rmSync(parent, { recursive: true }))

  it('is seen as it is after every change of its names and links, with its times put back too', async () => {
    let times = 0
    const list = unchangedFolders((path) => {
      times += 1
      return readdirSync(path).map((name) => `${name} -> ${readlinkSync(join(path, name))}`)
    })
    mkdirSync(folder)
    for (const settled of [false, true]) {
      const settle = (): Promise<void> | undefined => (settled ? sleep(2100) : undefined)
      const link = (to: string): void => {
        symlinkSync(to, join(folder, 'new'))
        renameSync(join(folder, 'new'), join(folder, 'one'))
        utimesSync(folder, 0, 0)
      }
      link('a')
      await settle()
      assert.deepEqual([list(folder), list(folder)], [['one -> a'], ['one -> a']])
      link('b')
      assert.deepEqual(list(folder), ['one -> b'])
      await settle()
      list(folder)
      unlinkSync(join(folder, 'one'))
      assert.deepEqual(list(folder), [])
    }
    assert.equal(times, 9)
    renameSync(folder, `${folder}.before`)
    mkdirSync(folder)
    symlinkSync('c', join(folder, 'one'))
    assert.deepEqual(list(folder), ['one -> c'])
  })
})
