// File operations in a process of their own (decisions.md, B12).
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FilesApart, type Files } from '@panel/web-daemon/platform/files-apart.ts'

describe('Files in a process of their own', () => {
  let folder: string
  let apart: FilesApart
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'files-apart-'))
    apart = new FilesApart()
  })
  afterEach(async () => {
    await apart.stop()
    rmSync(folder, { recursive: true })
  })

  const at = (name: string): string => join(folder, name)
  const fails = (work: (files: Files) => Promise<unknown>, code: string): Promise<void> =>
    assert.rejects(apart.run(work), { code })

  it('are made, written whole, renamed, listed by how they begin, and removed', async () => {
    const text = 'ä€'.repeat(2_000_000)
    await apart.run(async (files) => {
      await files.makeDirectory(at('made'))
      await files.writeNew(at('made/part'), text)
      await files.rename(at('made/part'), at('made/whole'))
      await files.writeNew(at('made/other'), '')
      await files.sync(at('made'))
      assert.deepEqual(await files.names(at('made'), 'wh'), ['whole'])
      assert.equal((await files.facts(at('made/whole'))).size, 10_000_000n)
      await files.remove(at('made/other'))
    })
    assert.deepEqual(readdirSync(at('made')), ['whole'])
    assert.equal(readFileSync(at('made/whole'), 'utf8'), text)
    assert.deepEqual([statSync(at('made')).mode & 0o777, statSync(at('made/whole')).mode & 0o777], [0o700, 0o600])
  })

  it('are listed completely where there are thousands', async () => {
    for (let number = 0; number < 5000; number += 1) writeFileSync(at(`file-${number}`), '')
    assert.equal((await apart.run((files) => files.names(folder, 'file-'))).length, 5000)
  })

  it('fail with the name of the errno, and the process goes on', async () => {
    writeFileSync(at('there'), '')
    await apart.run(async (files) => {
      await assert.rejects(files.writeNew(at('there'), 'x'), { code: 'EEXIST' })
      await assert.rejects(files.names(at('there'), ''), { code: 'ENOTDIR' })
      await assert.rejects(files.remove(at('gone')), { code: 'ENOENT' })
      await assert.rejects(files.makeDirectory(folder), { code: 'EEXIST' })
      assert.deepEqual(await files.names(folder, 'th'), ['there'])
    })
  })

  it('leave the process with nothing of this one but its end of the socket', async () => {
    await apart.run(async (files) => {
      await files.names(folder, '')
      assert.deepEqual(readdirSync(`/proc/${files.pid}/fd`), ['0'])
    })
  })

  it('fail if the process is killed, and the next ones have another process', async () => {
    await fails(async (files) => {
      process.kill(files.pid, 'SIGKILL')
      await files.names(folder, '')
    }, 'ECONNRESET')
    assert.deepEqual(await apart.run((files) => files.names(folder, 'x')), [])
  })

  it('leave no process behind once they are done', async () => {
    const first = await apart.run((files) => Promise.resolve(files.pid))
    await apart.run((files) => files.names(folder, ''))
    assert.equal(existsSync(`/proc/${first}`), false)
  })

  it('are refused after the end', async () => {
    await apart.stop()
    await fails((files) => files.names(folder, ''), 'ECANCELED')
  })
})
