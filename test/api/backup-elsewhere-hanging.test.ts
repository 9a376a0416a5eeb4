// The directory of encrypted backups on a share whose server is gone (decisions.md, B12); the file runs itself once more
// where it can mount such a share.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { BackupElsewhereAnswer, RunBackupAnswer } from '@panel/shared/api/backup-elsewhere.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { becomes, eventually } from '../support/eventually.ts'
import { Client } from './support/client.ts'
import { startDaemonIn } from './support/daemon-on-disk.ts'
import { canMountShares, folderOfShares, forkedBy, HangingShare, runWithShares } from './support/hanging-share.ts'
import { INSTALLATION, OPERATOR } from './support/panel.ts'
import { set } from './support/settings.ts'
import { startNotified, type Notified } from './support/webhooks.ts'

const PASSPHRASE = 'correct horse battery'

if (folderOfShares !== null) {
  const at = folderOfShares
  let share: HangingShare
  let [path, state] = ['', '']
  beforeEach(() => {
    path = mkdtempSync(join(at, 'share-'))
    state = mkdtempSync(join(at, 'state-'))
  })
  afterEach(() => share.recover())

  describe('A backup to a share that does not answer', () => {
    let made: Notified
    let clock: FakeClock
    beforeEach(async () => {
      clock = new FakeClock()
      const installation = { ...INSTALLATION, data_dir: state }
      made = await startNotified({ backup_dir: path, backup_clock: clock, installation })
      await made.operator.put('/backup/elsewhere/passphrase', { passphrase: PASSPHRASE })
      await noneIsLeft()
      share = new HangingShare(path)
    })
    afterEach(() => passing(made.close()))

    /** Time passes until it is done. */
    const passing = async <T>(work: Promise<T>): Promise<T> => {
      let isDone = false
      const end = (): void => void (isDone = true)
      work.then(end, end)
      for (; !isDone; await turn()) await clock.advance(clock.alarms > 0 ? 500 : 0)
      return work
    }
    const outcome = async (): Promise<unknown> => {
      const { body } = await made.operator.post<RunBackupAnswer>('/backup/elsewhere/run')
      return body.ok || body.detail_message.params['error']
    }
    const run = (): Promise<unknown> => passing(outcome())
    const view = async (): Promise<BackupElsewhereAnswer> =>
      (await made.operator.get<BackupElsewhereAnswer>('/backup/elsewhere')).body
    const forked = (): number[] => forkedBy(process.pid)
    const noneIsLeft = () => becomes(forked, ({ length }) => length === 0)

    it('fails with what to look at, keeps nothing hanging, and is made once the share answers', async () => {
      assert.equal(await run(), 'ETIMEDOUT')
      assert.match((await passing(view())).last_error, /does not answer, as a share does whose server is gone/)
      await passing(noneIsLeft())
      share.recover()
      assert.equal(await outcome(), true)
      const { files, last_error, file_name } = await view()
      assert.deepEqual([files.map(({ name }) => name), last_error], [[file_name], ''])
    })

    it('leaves one process behind where none can be killed, and begins no other meanwhile', async () => {
      await share.takeRequests()
      const attempt = outcome()
      await eventually(() => share.taken > 0)
      assert.equal(await passing(attempt), 'ETIMEDOUT')
      const left = forked()
      assert.equal(left.length, 1)
      for (let again = 0; again < 2; again += 1) assert.equal(await run(), 'HANGING')
      assert.deepEqual([(await passing(view())).files, forked()], [[], left])
      share.recover()
      await noneIsLeft()
      assert.equal(await outcome(), true)
    })

    it('holds up no other request: GET answers without the files, and operators sign in', async () => {
      const views = Array.from({ length: 20 }, view)
      for (const { files, is_on_panel_disk } of await passing(Promise.all(views)))
        assert.deepEqual([files, is_on_panel_disk], [[], null])
      await eventually(() => forked().length === 1)
      await made.panel.signIn()
    })

    it('is sent to the targets of notifications all the same', async () => {
      await made.add({ events: ['backup'] })
      assert.equal(await run(), 'ETIMEDOUT')
      await made.arrives(1)
      assert.match(made.receiver.received[0]?.body ?? '', /tunnel-panel-.*\.backup/)
    })

    it('does not hold up the end of the panel', async () => {
      await share.takeRequests()
      const attempt = made.panel.elsewhere.run()
      await eventually(() => share.taken > 0)
      await passing(made.panel.elsewhere.stop())
      assert.equal((await attempt)?.params['error'], 'ETIMEDOUT')
    })
  })

  describe('The daemon with backups on a share that does not answer', () => {
    it('ends by SIGTERM while one is being made', async () => {
      const daemon = await startDaemonIn(state, { PANEL_BACKUP_DIR: path })
      const operator = new Client(daemon.base)
      assert.equal((await operator.post('/auth/setup', OPERATOR)).status, 201)
      await operator.put('/backup/elsewhere/passphrase', { passphrase: PASSPHRASE })
      await set(operator, { 'backup.interval': 'daily' })
      share = new HangingShare(path)
      await share.takeRequests()
      const attempt = operator.post('/backup/elsewhere/run').catch(() => null)
      await eventually(() => share.taken > 0 && forkedBy(daemon.pid).length === 1)
      await daemon.stop()
      await attempt
    })
  })
} else {
  describe('The directory of encrypted backups on a share whose server is gone', function () {
    it('is left alone in time, and says why nothing was written', function () {
      if (!canMountShares()) this.skip()
      const folder = mkdtempSync(join(tmpdir(), 'backup-hanging-'))
      try {
        runWithShares(import.meta.filename, folder)
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  })
}
