// The audit log on the page: newest first, filtered and turned by the address, each entry as a whole (requirements 2,
// 5, 12).
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { saved } from './support/lists.ts'
import { giveTunnels, goTo, signedIn, startHost, type Host } from './support/host.ts'

describe('The audit log on the page', () => {
  const { visit } = browsing()
  let host: Host
  let operator: Client
  beforeEach(async () => {
    host = await startHost()
    operator = await host.setUp()
    await giveTunnels(host, operator)
    await operator.put('/settings', { 'monitor.window_size': 0 })
  })
  afterEach(() => host.close())

  const visitAudit = async (query = ''): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `audit${query}`, /^Audit log \d+/)

  it('has the newest first, and tells what failed by word, shape and reason', async () => {
    const { page } = await visitAudit()
    assert.deepEqual(await page.getByRole('rowheader').locator('button').allInnerTexts(), [
      'Sign-in',
      'Settings changed',
      'Tunnel created',
      'Tunnel created',
      'Tunnel created',
      'Tunnel created',
      'Account created',
    ])
    const refused = page.getByRole('row', { name: /Settings changed/ })
    assert.equal(await refused.locator('[data-state=down]').innerText(), 'Failed')
    assert.match(await refused.innerText(), /Must be a whole number/)
  })

  it('is filtered by what stands in the address, over reload, and shows all again', async () => {
    const { page } = await visitAudit()
    await page.getByLabel('Action').selectOption({ label: 'Tunnel created' })
    await page.getByText('1 to 4 of 4').waitFor()
    await page.getByLabel('Number').fill('2')
    await page.getByLabel('Number').press('Tab')
    await page.getByText('1 to 1 of 1').waitFor()
    await page.waitForURL(/action=TunnelCreate&target_id=2$/)
    await page.reload()
    await page.getByText('1 to 1 of 1').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('Outcome').selectOption('false')
    await page.getByText('1 to 1 of 1').waitFor()
    await page.getByLabel('Outcome').selectOption('')
    await page.getByLabel('Until').fill('2000-01-01T00:00')
    await page.getByText('No matching entries').waitFor()
  })

  it('is searched by a text, over reload, and for all that was done to the object of an entry', async () => {
    await operator.patch('/tunnels/1', { note: 'Spare' })
    const { page } = await visitAudit()
    await page.locator('body').press('/')
    await page.keyboard.type(' HAMBURG relay ')
    await page.keyboard.press('Enter')
    await page.getByText('1 to 1 of 1').waitFor()
    await page.waitForURL(/\?search=HAMBURG\+relay$/)
    await page.reload()
    await page.getByText('1 to 1 of 1').waitFor()
    assert.equal(await page.getByLabel('Text').inputValue(), 'HAMBURG relay')
    await page.getByRole('button', { name: 'Tunnel created' }).click()
    await page.getByRole('link', { name: 'All entries of this object' }).click()
    await page.getByText('1 to 2 of 2').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.deepEqual(await page.getByRole('rowheader').locator('button').allInnerTexts(), [
      'Tunnel changed',
      'Tunnel created',
    ])
    await page.waitForURL(/\?target_type=tunnel&target_id=1$/)
    await page.getByLabel('Text').fill('nothing like it')
    await page.getByLabel('Text').press('Tab')
    await page.getByText('No matching entries').waitFor()
  })

  it('shows an entry as a whole: who, from where, what was requested, what was done, and leads to it', async () => {
    const { page } = await visitAudit('?action=TunnelCreate')
    await page.getByRole('button', { name: 'Tunnel created' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'Tunnel created' })
    const text = await dialog.innerText()
    assert.match(text, /operator[\s\S]*127\.0\.0\.1[\s\S]*gre-a-1[\s\S]*Hamburg relay/)
    assert.ok((await dialog.getByRole('listitem').count()) > 0)
    assert.equal(await dialog.getByRole('link', { name: 'Open' }).getAttribute('href'), '/secret/tunnels/1')
    await page.keyboard.press('Escape')
    assert.equal(await dialog.count(), 0)
  })

  it('names what an entry is about, as a link while it is there', async () => {
    await operator.delete('/tunnels/2')
    const { page } = await visitAudit('?action=TunnelCreate')
    await page.getByRole('link', { name: 'long-name-gre-6' }).waitFor()
    await page.getByText('Tunnel 2', { exact: true }).first().waitFor()
    assert.equal(await page.getByRole('link', { name: 'Tunnel 2' }).count(), 0)
    await page.getByRole('link', { name: 'Hamburg relay' }).click()
    await page.getByRole('heading', { name: /gre-a-1/, level: 1 }).waitFor()
  })

  it('is saved as a table: every entry that the filters leave, whatever page is shown', async () => {
    const { page } = await visitAudit('?action=TunnelCreate&offset=3')
    const { name, lines } = await saved(page, () => page.getByRole('button', { name: 'Save as CSV' }).click())
    assert.equal(name, 'audit-log-DAY.csv')
    assert.match(lines[0] ?? '', /^audit_log_id,created_date,action,is_success,error_message,target_type,/)
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',').slice(2, 4)),
      Array.from({ length: 4 }, () => ['TunnelCreate', 'true']),
    )
  })

  it('is turned page by page', async () => {
    for (let n = 0; n < 50; n++) await operator.put('/settings', { 'monitor.window_size': 100 + n })
    const { page } = await visitAudit()
    await page.getByText('1 to 50 of 57').waitFor()
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByText('51 to 57 of 57').waitFor()
    await page.waitForURL(/\?offset=50$/)
    assert.equal(await page.getByRole('button', { name: 'Older' }).isDisabled(), true)
    await page.getByRole('button', { name: 'Newer' }).click()
    await page.getByText('1 to 50 of 57').waitFor()
  })

  it('says that there is no such action, and fits a phone', async () => {
    const arrived = await signedIn(await visit(host, { viewport: PHONE }))
    arrived.gates.allowConsole(/400/)
    const { page } = await goTo(arrived, host, 'audit?action=nothing', /^Audit log/)
    await page.getByText('There is no such action in the audit log').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText(/^1 to \d/).waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
