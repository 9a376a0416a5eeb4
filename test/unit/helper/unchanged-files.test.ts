// Files that are read once while they stay as they are, on a real file system.
import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unchangedFiles } from '@panel/root-helper/kernel/files/file-cache.ts'

describe('A file that is looked at again and again', function () {
  this.timeout(10_000)
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
