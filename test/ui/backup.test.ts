// A backup on the page: saved as a file, shown before it is imported, each item listed, nothing lost on an error
// (requirements 9, 12, 13).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import type { Client } from '../api/support/client.ts'
import { listTunnels } from '../api/support/tunnels.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { hands } from './support/counting.ts'
import { complaintOf, eachHost, goTo, type Host, signedIn, tunnelHost } from './support/host.ts'

const DOCUMENT = 'Or paste the content of a backup'

describe('A backup on the page', () => {
  const { visit } = browsing()
  let host: Host
  let operator: Client
  eachHost(tunnelHost, (made) => ({ host, client: operator } = made))

  const visitBackup = async (look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, 'backup', 'Backup')
  const exported = async (): Promise<BackupDocument> => (await operator.get<BackupDocument>('/backup/export')).body
  const interfaces = async (): Promise<string[]> =>
    (await listTunnels(operator)).body.tunnels.map(({ interface_name }) => interface_name).sort()

  it('is downloaded as a file that says whose it is', async () => {
    const { page } = await visitBackup()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^tunnel-panel-[A-Za-z0-9.-]+-\d{4}-\d\d-\d\dT[\d-]+\.json$/)
    const saved = JSON.parse(readFileSync(await download.path(), 'utf8')) as BackupDocument
    assert.deepEqual(saved.tunnels.map(({ interface_name }) => interface_name).sort(), await interfaces())
  })

  it('is only looked at before it is imported, item by item with the reason, and then tells what became of each', async () => {
    const backup = await exported()
    assert.equal((await operator.delete('/tunnels/1', {})).status, 200)
    const { page } = await visitBackup()
    await page
      .getByLabel('Backup file')
      .setInputFiles({ name: 'old.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(backup)) })
    await page.getByText(/old\.json.? was read/).waitFor()
    await page.getByRole('button', { name: 'Preview the import' }).click()
    const preview = page.getByRole('table', { name: 'Preview' })
    assert.match(await preview.getByRole('row', { name: /gre-a-1/ }).innerText(), /Would be created/)
    assert.equal(await preview.getByRole('row').count(), 2)
    await page.getByText(/^\d+ items that are left as they are$/).click()
    assert.match(await page.getByRole('row', { name: /gre-a-4/ }).innerText(), /Left as it is[\s\S]*\w/)
    assert.ok(!(await interfaces()).includes('gre-a-1'))
    await page.getByRole('button', { name: 'Import 1 item' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import 1 item of this backup?' })
    await dialog.getByRole('button', { name: 'Import' }).click()
    const result = page.getByRole('table', { name: 'Result of the import' })
    assert.match(await result.getByRole('row', { name: /gre-a-1/ }).innerText(), /Created/)
    assert.ok((await interfaces()).includes('gre-a-1'))
  })

  it('is put back by three clicks and a file', async () => {
    const backup = await exported()
    assert.equal((await operator.delete('/tunnels/1', {})).status, 200)
    const { page } = await signedIn(await visit(host))
    const { count, click, choose } = hands()
    await click(page.getByRole('navigation').getByRole('link', { name: 'Backup', exact: true }))
    await choose(page.getByLabel('Backup file'), 'old.json', JSON.stringify(backup))
    await click(page.getByRole('button', { name: 'Import 1 item' }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Import' }))
    await page.getByText('Everything was imported.').waitFor()
    assert.ok((await interfaces()).includes('gre-a-1'))
    assert.deepEqual(count, { clicks: 3, fields: 0, files: 1 })
  })

  it('says what is not in it', async () => {
    const { page } = await visitBackup()
    await page.getByText(/Not in it: notifications, API tokens, the address and certificate of the panel/).waitFor()
  })

  it('that is wrong says where, on the field, and keeps what was pasted', async () => {
    const { page, gates } = await visitBackup()
    const look = page.getByRole('button', { name: 'Preview the import' })
    await look.click()
    assert.match(await complaintOf(page, DOCUMENT), /Choose a file/)
    await page.getByLabel(DOCUMENT).fill('{"version": 1, "tunn')
    await look.click()
    assert.match(await complaintOf(page, DOCUMENT), /not a complete JSON document/)
    gates.expectAnswer(422, '/backup/import')
    await page.getByLabel(DOCUMENT).fill('{"version": 7}')
    await look.click()
    assert.match(await complaintOf(page, DOCUMENT), /does not understand a backup of version 7\. It reads version 1/)
    await page.getByText('backup.version', { exact: true }).waitFor()
    await page.getByLabel(DOCUMENT).fill('{"version": 1, "tunnels": [{"mtu": 1}]}')
    await look.click()
    const row = page.getByRole('table', { name: 'Preview' }).getByRole('row', { name: /tunnels\[0\]/ })
    assert.match(await row.innerText(), /Would be refused[\s\S]*backup\.tunnels\[0\]\.local_endpoint/)
    assert.equal(await page.getByRole('button', { name: /^Import \d/ }).count(), 0)
    assert.equal(await page.getByLabel(DOCUMENT).inputValue(), '{"version": 1, "tunnels": [{"mtu": 1}]}')
  })

  it('is put back whole on request if one item fails, and says so', async () => {
    const backup = await exported()
    const [first, second] = backup.tunnels
    assert.ok(first && second)
    for (const id of [1, 2]) assert.equal((await operator.delete(`/tunnels/${id}`, {})).status, 200)
    const left = await interfaces()
    const { page } = await visitBackup()
    const wrong = { ...second, remote_endpoint: second.local_endpoint }
    await page.getByLabel(DOCUMENT).fill(JSON.stringify({ ...backup, tunnels: [first, wrong], routes: [] }))
    const whole = page.getByRole('switch', { name: 'All or nothing' })
    assert.equal(await whole.isChecked(), false)
    await whole.check()
    await page.getByRole('button', { name: 'Preview the import' }).click()
    await page.getByRole('button', { name: 'Import 1 item' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/If one item fails, all of them are undone/).waitFor()
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page
      .getByText(/1 item failed, so everything was undone: nothing has changed/)
      .first()
      .waitFor()
    assert.deepEqual(await interfaces(), left)
  })

  it('has to be looked at again when what is to be imported was changed, and is not left unasked', async () => {
    const backup = await exported()
    assert.equal((await operator.delete('/tunnels/1', {})).status, 200)
    const { page } = await visitBackup()
    await page.getByLabel(DOCUMENT).fill(JSON.stringify(backup))
    await page.getByRole('button', { name: 'Preview the import' }).click()
    await page.getByRole('button', { name: 'Import 1 item' }).waitFor()
    await page.getByRole('switch', { name: 'Tunnels' }).click()
    assert.equal(await page.getByRole('button', { name: 'Import 1 item' }).count(), 0)
    await page.getByRole('button', { name: 'Preview the import' }).click()
    await page.getByText('Nothing to import').waitFor()
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
  })

  it('fits a phone', async () => {
    const backup = await exported()
    const { page } = await visitBackup({ viewport: PHONE })
    await page.getByLabel(DOCUMENT).fill(JSON.stringify(backup))
    await page.getByRole('button', { name: 'Preview the import' }).click()
    await page.getByText(/^\d+ items that are left as they are$/).click()
    await page.getByRole('table').waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
