// Unit files on a real file system: what an administrator may put in their place is seen, and never followed or written
// over.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeUnfinished } from '@panel/root-helper/kernel/files/files.ts'
import { stoppedAmong } from '@panel/root-helper/kernel/files/systemd.ts'
import { unitFilesIn } from '@panel/root-helper/kernel/files/units.ts'
import { probeTunnel } from '@panel/root-helper/nouns/tunnel/probe.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'

const UNIT = 'tunnel-panel-link-gre-a-1.service'

describe('Unit files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'panel-units-'))
  let changes = 0
  const counting = { changed: () => void (changes += 1), listStopped: async () => [] }
  const units = unitFilesIn(folder, counting)

  it('are foreign where the administrator has masked the unit, and the probe goes on', async () => {
    symlinkSync('/dev/null', join(folder, UNIT))
    const { state, foreign_files } = await probeTunnel(Object.assign(new FakeKernel(), { units }), 'gre-a-1')
    assert.deepEqual([state, foreign_files], [null, [UNIT]])
  })

  it('are written whole, with a mode that every user may read, before systemd is reloaded', async () => {
    const before = changes
    await units.write('tunnel-panel-link-gre-a-2.service', 'text\n')
    assert.equal(readFileSync(join(folder, 'tunnel-panel-link-gre-a-2.service'), 'utf8'), 'text\n')
    assert.equal(changes, before + 1)
  })

  it('are foreign in part where the administrator has put drop-ins beside them', async () => {
    const name = 'tunnel-panel-link-gre-a-2.service'
    const more = mkdtempSync(join(tmpdir(), 'panel-run-'))
    const read = unitFilesIn(folder, counting, [more])
    writeFileSync(join(more, 'somebody-elses.d'), '')
    writeFileSync(join(more, `${UNIT}.d`), '')
    const seen = async (): Promise<[boolean, boolean]> => [
      await read.isOverridden(name),
      (await read.listOverridden()).includes(name),
    ]
    assert.deepEqual(await seen(), [false, false])
    for (const beside of [more, folder]) {
      mkdirSync(join(beside, `${name}.d`))
      assert.equal(await units.isOverridden(name), false)
      writeFileSync(join(beside, `${name}.d`, 'mine.conf'), '')
      assert.deepEqual(await seen(), [true, true])
    }
    assert.deepEqual(await read.isOverridden(UNIT), false)
  })

  it('leave nothing of what a helper was writing when it was killed, and all that is not ours', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'panel-unfinished-'))
    for (const name of [UNIT, `${UNIT}.new-123`, 'other.service.new-123', `${UNIT}.new-x`])
      writeFileSync(join(folder, name), '')
    await removeUnfinished(folder, (name) => name.startsWith('tunnel-panel'))
    assert.deepEqual(readdirSync(folder).sort(), ['other.service.new-123', UNIT, `${UNIT}.new-x`])
  })

  it('are stopped where systemd neither runs them, nor is about to, nor waits for their next try', () => {
    const listed = [
      'UNIT                     LOAD   ACTIVE     SUB          JOB   DESCRIPTION',
      'running.service          loaded active     running            Keepalive of running',
      'about-to-start.service   loaded inactive   dead         start Keepalive of about-to-start',
      'between-tries.service    loaded activating auto-restart       Keepalive of between-tries',
      'given-up.service         loaded failed     failed             Keepalive of given-up',
    ]
    const units = ['running', 'stopped', 'about-to-start', 'between-tries', 'given-up'].map((name) => `${name}.service`)
    assert.deepEqual(stoppedAmong(units, listed.join('\n')), ['stopped.service', 'given-up.service'])
  })

  it('are not enabled by a plain file, or a link to something else, in the place of the link', async () => {
    mkdirSync(join(folder, 'multi-user.target.wants'))
    const wants = (name: string) => join(folder, 'multi-user.target.wants', name)
    writeFileSync(wants(UNIT), '')
    symlinkSync('/dev/null', wants('tunnel-panel-link-gre-a-2.service'))
    assert.deepEqual(
      [await units.isEnabled(UNIT), await units.isEnabled('tunnel-panel-link-gre-a-2.service')],
      [false, false],
    )
  })
})
