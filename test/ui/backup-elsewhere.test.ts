// Encrypted backups on the page: set up, made by hand, and opened again for an import.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackupElsewhereAnswer } from '@panel/shared/api/backup-elsewhere.ts'
import type { Client } from '../api/support/client.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, goTo, signedIn, type Host } from './support/host.ts'

const PASSPHRASE = 'correct horse battery'

describe('Encrypted backups on the page', () => {
  const { visit } = browsing()
  let directory: string
  let host: Host
  let operator: Client
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'backup-page-'))))
  eachHost(
    (made) => made.setUp(),
    (made) => ({ host, client: operator } = made),
    () => ({ backup_dir: directory }),
  )
  afterEach(() => rmSync(directory, { recursive: true }))

  const visitBackup = async (look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, 'backup', 'Backup')
  const state = async (): Promise<BackupElsewhereAnswer> =>
    (await operator.get<BackupElsewhereAnswer>('/backup/elsewhere')).body

  it('are set up with a passphrase, made by hand, and opened for an import', async () => {
    const { page } = await visitBackup()
    assert.equal(await page.getByRole('button', { name: 'Back up now' }).count(), 0)
    await page.getByLabel('Make one').selectOption({ label: 'Daily, if anything has changed' })
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/backup/elsewhere', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Automatic backups saved').waitFor()
    // However long it takes to read what is stored now.
    assert.equal(await page.getByLabel('Passphrase', { exact: true }).inputValue(), '')
    release()
    await page.getByText('One is stored.').waitFor()
    const { has_passphrase, interval } = await state()
    assert.deepEqual([has_passphrase, interval], [true, 'daily'])

    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('The encrypted backup was made').waitFor()
    const [name = ''] = readdirSync(directory)
    await page.getByText(name, { exact: true }).waitFor()

    const buffer = readFileSync(join(directory, name))
    await page.getByLabel('Backup file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
    await page.getByText(/is encrypted\. Enter its passphrase/).waitFor()
    await page.getByLabel('Passphrase', { exact: true }).last().fill(PASSPHRASE)
    await page.getByRole('button', { name: 'Open the file' }).click()
    await page.getByRole('table', { name: 'Preview' }).or(page.getByText('Nothing to import')).first().waitFor()
    assert.match(await page.getByLabel('Or paste the content of a backup').inputValue(), /"version": 1/)
  })

  it('say on the field that the passphrase of a file is another one', async () => {
    await operator.put('/backup/elsewhere/passphrase', { passphrase: PASSPHRASE })
    await operator.post('/backup/elsewhere/run')
    const [name = ''] = readdirSync(directory)
    const { page, gates } = await visitBackup()
    gates.expectAnswer(422, '/backup/elsewhere/open')
    const buffer = readFileSync(join(directory, name))
    await page.getByLabel('Backup file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
    const field = page.getByLabel('Passphrase', { exact: true }).last()
    await field.fill('another passphrase')
    await page.getByRole('button', { name: 'Open the file' }).click()
    await page.getByText(/does not open this file/).waitFor()
  })

  it('say on the field that a passphrase is weak, and store nothing', async () => {
    const { page, gates } = await visitBackup()
    gates.expectAnswer(422, '/backup/elsewhere/passphrase')
    await page.getByLabel('Passphrase', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    assert.match(await complaintOf(page, 'Passphrase'), /16 to 200 letters/)
    assert.equal((await state()).has_passphrase, false)
  })

  it('show why the last one failed, on a phone too', async () => {
    await operator.put('/backup/elsewhere/passphrase', { passphrase: PASSPHRASE })
    rmSync(directory, { recursive: true })
    await operator.post('/backup/elsewhere/run')
    const { page } = await visitBackup({ viewport: PHONE })
    await page.getByText(/could not be written to .*it does not exist\. Mount or create it/).waitFor()
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    assert.ok(wide <= 0, String(wide))
    directory = mkdtempSync(join(tmpdir(), 'backup-page-'))
  })
})
