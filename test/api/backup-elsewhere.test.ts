// Encrypted backups that the panel makes by itself, in a directory (reference.md, Backup; decisions.md, B8 to B11).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeySync } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import type { BackupElsewhereAnswer, OpenBackupAnswer, RunBackupAnswer } from '@panel/shared/api/backup-elsewhere.ts'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { storePassphrase } from '@panel/web-daemon/features/backup-elsewhere/store.ts'
import { SecretBox } from '@panel/web-daemon/platform/secret-box.ts'
import type { Client } from './support/client.ts'
import { INSTALLATION, startPanel, type TestPanel } from './support/panel.ts'
import { set } from './support/settings.ts'

const PASSPHRASE = 'correct horse battery'
const DAY = 86_400

describe('Backups elsewhere, in a directory', () => {
  let folder: string
  let directory: string
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'backup-elsewhere-'))
    directory = join(folder, 'backups')
    panel = await startPanel({ backup_dir: directory, installation: { ...INSTALLATION, data_dir: folder } })
    operator = await panel.setUp()
  })
  afterEach(async () => {
    await panel.close()
    rmSync(folder, { recursive: true })
  })

  const view = async (): Promise<BackupElsewhereAnswer> =>
    (await (await panel.signIn()).get<BackupElsewhereAnswer>('/backup/elsewhere')).body
  const passphrase = (given = PASSPHRASE) => operator.put('/backup/elsewhere/passphrase', { passphrase: given })
  const run = async (): Promise<RunBackupAnswer> =>
    (await (await panel.signIn()).post<RunBackupAnswer>('/backup/elsewhere/run')).body
  const files = (): string[] => readdirSync(directory).sort()
  const newest = (): string => readFileSync(join(directory, files().at(-1) ?? assert.fail('no file')), 'utf8')
  /** Time passes, and the panel looks. */
  const after = async (seconds: number): Promise<void> => {
    panel.clock.advance(seconds)
    await panel.elsewhere.look()
  }
  let changes = 0
  const change = async (): Promise<void> => {
    const client = await panel.signIn()
    await set(client, { 'system.audit_retention_days': 100 + (changes += 1) })
  }
  const begin = async (): Promise<void> => {
    await passphrase()
    await set(operator, { 'backup.interval': 'daily' })
    await panel.elsewhere.look()
  }

  it('are off to begin with, and write nothing', async () => {
    await after(10 * DAY)
    assert.ok(!existsSync(directory))
    const { has_passphrase, interval, files: found, last_error } = await view()
    assert.deepEqual([has_passphrase, interval, found, last_error], [false, 'off', [], ''])
  })

  it('hold what GET /backup/export answers, in a file of the owner alone that openssl opens', async () => {
    await passphrase()
    assert.equal((await run()).ok, true)
    const [name = ''] = files()
    assert.match(name, /^tunnel-panel-.+-\d{8}T\d{6}Z\.backup$/)
    assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    const command = /^sed .*$/m.exec(newest())?.[0].replace('FILE', name) ?? assert.fail('no command')
    writeFileSync(join(folder, 'passphrase'), PASSPHRASE)
    const opened = command.replace('openssl enc', 'openssl enc -pass file:../passphrase').replace(' > backup.json', '')
    const { exported_at: _, ...held } = JSON.parse(
      execFileSync('sh', ['-ec', opened], { cwd: directory, encoding: 'utf8' }),
    ) as BackupDocument
    const { exported_at: __, ...exported } = (await operator.get<BackupDocument>('/backup/export')).body
    assert.deepEqual(held, exported)
  })

  it('are opened by the panel for an import, with the right passphrase alone', async () => {
    await passphrase()
    await run()
    const open = (file: string, given: string) =>
      operator.post<OpenBackupAnswer>('/backup/elsewhere/open', { file, passphrase: given })
    const { body } = await open(newest(), PASSPHRASE)
    const { status } = await operator.post('/backup/import', { backup: body.backup, dry_run: true })
    assert.equal(status, 200)
    const { status: refused, error } = await open(newest(), 'another passphrase')
    assert.deepEqual([refused, error.field], [422, 'passphrase'])
    assert.deepEqual((await open(newest().slice(0, -80), PASSPHRASE)).error.field, 'file')
    assert.deepEqual((await open('{}', PASSPHRASE)).error.field, 'file')
  })

  for (const [weak, why] of [
    ['fifteen letters', 'is too short'],
    ['aaaaabbbbbcccccd', 'has too few different characters'],
    ['correct horse battery ', 'ends with a blank'],
    ['correct horse bättery', 'has a letter that a rescue system may lack'],
  ] as const)
    it(`refuse a passphrase that ${why}, and store nothing`, async () => {
      const { status, error } = await passphrase(weak)
      const [field] = error.details['fields'] as { field: string; code: string; message_id: string }[]
      assert.deepEqual(
        [status, field?.field, field?.code, field?.message_id],
        [422, 'passphrase', 'INVALID_PASSWORD', 'backup.passphrase'],
      )
      assert.equal((await view()).has_passphrase, false)
    })

  it('are refused by hand without a passphrase', async () => {
    const { status, error } = await operator.post('/backup/elsewhere/run')
    assert.equal(status, 409)
    assert.match(error.message, /Set a passphrase/)
  })

  it('keep the passphrase out of answers, the log, the audit log, the export and the store', async () => {
    const { text } = await passphrase()
    await run()
    const texts = [text, panel.log.join('\n'), newest()]
    for (const path of ['/backup/elsewhere', '/audit?limit=100', '/backup/export', '/settings'])
      texts.push((await operator.get(path)).text)
    assert.match(texts.join('\n'), /BackupPassphrase/)
    for (const one of texts) assert.ok(!one.includes(PASSPHRASE), one)
    const row = await panel.db.selectFrom('backup_elsewhere').selectAll().executeTakeFirstOrThrow()
    assert.ok(!Object.values(row).some((value) => Buffer.from(String(value)).includes(PASSPHRASE)))
    assert.equal(row.passphrase.includes(PASSPHRASE), false)
  })

  it('take a fresh password for another passphrase', async () => {
    panel.clock.advance(700)
    assert.equal((await passphrase()).error.code, 'FRESH_PASSWORD_REQUIRED')
  })

  it('are made at the interval, if anything has changed since', async () => {
    await begin()
    assert.equal(files().length, 1)
    await after(DAY + 1)
    assert.equal(files().length, 1)
    const { tried_at, succeeded_at } = await view()
    assert.ok((tried_at ?? '') > (succeeded_at ?? ''))
    await change()
    await after(DAY - 10)
    assert.equal(files().length, 1)
    await after(20)
    assert.equal(files().length, 2)
  })

  it('are made weekly by that setting', async () => {
    await begin()
    await set(operator, { 'backup.interval': 'weekly' })
    await after(6 * DAY)
    assert.equal(files().length, 1)
    await after(DAY + 1)
    assert.equal(files().length, 2)
  })

  it('are made after the clock was set back as well', async () => {
    await begin()
    await change()
    panel.clock.set(-40 * DAY)
    await panel.elsewhere.look()
    assert.equal(files().length, 2)
  })

  it('are made again once the file is gone, and under another passphrase', async () => {
    await begin()
    rmSync(join(directory, files()[0] ?? ''))
    await after(DAY + 1)
    assert.equal(files().length, 1)
    operator = await panel.signIn()
    await passphrase('another passphrase')
    await after(DAY + 1)
    assert.equal(files().length, 2)
    const body = { file: newest(), passphrase: 'another passphrase' }
    assert.equal((await (await panel.signIn()).post('/backup/elsewhere/open', body)).status, 200)
  })

  it('leave as many files as the setting has, of this host alone', async () => {
    mkdirSync(directory)
    const strangers = ['tunnel-panel-other-20200101T000000Z.backup', 'notes.txt', 'panel.db', 'tunnel-panel-x.backup']
    for (const name of strangers) writeFileSync(join(directory, name), 'theirs')
    await begin()
    await set(operator, { 'backup.kept': 2 })
    const made = [await view()]
    for (let day = 0; day < 3; day += 1) {
      await change()
      await after(DAY + 1)
      made.push(await view())
    }
    const names = made.map(({ file_name }) => file_name)
    assert.deepEqual(files(), [...strangers, ...names.slice(-2)].sort())
    assert.deepEqual(
      made.at(-1)?.files.map(({ name }) => name),
      names.slice(-2).reverse(),
    )
  })

  it('remove what a kill has left half written', async () => {
    await begin()
    const part = `${files()[0]}.part`
    writeFileSync(join(directory, part), 'half')
    await run()
    assert.ok(!files().includes(part))
  })

  describe('that fail', () => {
    const reported = async () => {
      const client = await panel.signIn()
      const { components } = (await client.get<HealthAnswer>('/system/health')).body
      const { incidents } = (await client.get<AttentionAnswer>('/reconcile/attention')).body
      return [
        components.find(({ name }) => name === 'backup')?.status,
        incidents.filter(({ kind }) => kind === 'backup').map(({ reason_message }) => reason_message.message_id),
      ]
    }

    it('are in health and an incident, are tried again each hour, and are over once one is made', async () => {
      await begin()
      assert.deepEqual(await reported(), ['ok', []])
      rmSync(directory, { recursive: true })
      writeFileSync(directory, 'not a directory')
      await change()
      await after(DAY + 1)
      assert.match((await view()).last_error, /could not be written to .*: E/)
      assert.deepEqual(await reported(), ['degraded', ['backup.elsewhere_directory']])
      rmSync(directory)
      await after(1800)
      assert.ok(!existsSync(directory))
      await after(1801)
      assert.equal(files().length, 1)
      assert.deepEqual(await reported(), ['ok', []])
    })

    it('say that the passphrase is missing, once they are on', async () => {
      await set(operator, { 'backup.interval': 'daily' })
      assert.deepEqual(await reported(), ['degraded', ['backup.elsewhere_no_passphrase']])
    })

    it('say that the passphrase is unreadable under another signing key', async () => {
      await begin()
      const stranger = new SecretBox(generateKeySync('hmac', { length: 256 }), 'backup passphrase')
      await storePassphrase(panel.db, stranger.seal(Buffer.from(PASSPHRASE)))
      assert.deepEqual(await reported(), ['degraded', ['backup.elsewhere_unreadable']])
      assert.equal((await view()).is_readable, false)
      assert.equal((await run()).detail_message.message_id, 'backup.elsewhere_unreadable')
    })

    it('say that there is nowhere to put them', async () => {
      await passphrase()
      await set(operator, { 'backup.to_directory': false })
      const { ok, detail_message } = await run()
      assert.deepEqual([ok, detail_message.message_id], [false, 'backup.elsewhere_nowhere'])
    })

    it('make no directory beside the store, which a disk that is not mounted would be', async () => {
      await panel.close()
      const elsewhere = join(folder, 'mount')
      panel = await startPanel({
        backup_dir: elsewhere,
        installation: { ...INSTALLATION, data_dir: join(folder, 'state') },
      })
      operator = await panel.setUp()
      await passphrase()
      const { ok, detail_message } = await run()
      assert.deepEqual([ok, detail_message.params['error']], [false, 'ENOENT'])
      mkdirSync(elsewhere)
      mkdirSync(join(folder, 'state'))
      assert.equal((await run()).ok, true)
      assert.equal((await view()).is_on_panel_disk, true)
    })
  })
})
