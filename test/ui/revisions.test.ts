// The history of changes on the page: what was changed, of one object too, and the way back (reference.md, Revisions).
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { lastRevision } from '../api/support/revisions.ts'
import { getTunnel, patchTunnel } from '../api/support/tunnels.ts'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { giveTunnels, goTo, signedIn, startHost, type Host } from './support/host.ts'

describe('The changes on the page', () => {
  const { visit } = browsing()
  let host: Host
  let operator: Client
  beforeEach(async () => {
    host = await startHost()
    operator = await host.setUp()
    await giveTunnels(host, operator)
    await operator.patch('/tunnels/1', { mtu: 1400 }, { headers: { 'X-Change-Reason': 'Ticket%2017' } })
  })
  afterEach(() => host.close())

  const visitHistory = async (query = '', look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, `revisions${query}`, /^Changes/)
  const nameOf = async (): Promise<string> => (await getTunnel(operator, 1)).body.interface_name

  it('has the newest first, each with its objects, who and why', async () => {
    const { page } = await visitHistory()
    const [first = ''] = await page.getByRole('row').filter({ hasText: 'Tunnel changed' }).allInnerTexts()
    for (const part of ['Ticket 17', await nameOf(), 'Tunnel, changed', 'In force', 'operator'])
      assert.ok(first.includes(part), `${part} is not in ${first}`)
    await page.getByText('What was there at first').waitFor()
  })

  it('shows a change field by field, and takes one object back to it, with a reason', async () => {
    const { page } = await visitHistory()
    await patchTunnel(operator, 1, { mtu: 1300 })
    await page.getByRole('button', { name: 'Tunnel changed' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('row', { name: /1400/ }).waitFor()
    await dialog.getByRole('button', { name: 'Compare with now' }).click()
    await dialog.getByRole('row', { name: /1400.*1300/s }).waitFor()
    await dialog.getByRole('button', { name: 'Restore this' }).click()
    await page.getByLabel('Reason (optional)').fill('Größe war richtig')
    await page
      .getByRole('dialog', { name: /^Take / })
      .getByRole('button', { name: 'Restore everything' })
      .click()
    await page.getByText('Restored', { exact: true }).waitFor()
    assert.equal((await getTunnel(operator, 1)).body.mtu, 1400)
    const { reason, action } = await lastRevision(operator)
    assert.deepEqual([reason, action], ['Größe war richtig', 'RevisionRestore'])
  })

  it('says which step failed, and that everything is as it was', async () => {
    const { page } = await visitHistory()
    const name = await nameOf()
    assert.equal((await operator.delete('/tunnels/1')).status, 200)
    const [other] = host.kernel.hostInterfaces
    assert.ok(other)
    host.kernel.hostInterfaces.push({ ...other, name, index: 99 })
    await page.getByRole('button', { name: 'Tunnel changed' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore everything' }).click()
    await page
      .getByRole('dialog', { name: /^Take / })
      .getByRole('button', { name: 'Restore everything' })
      .click()
    const failed = page.getByRole('dialog').getByText('everything is as it was')
    await failed.waitFor()
    assert.ok((await page.getByRole('dialog').getByRole('listitem').first().innerText()).startsWith(name))
  })

  it('is that of one object from its menu, and of a request from its entry in the audit log', async () => {
    const visited = await visitHistory('?kind=tunnel&target_key=1')
    const { page } = visited
    await page.getByRole('button', { name: 'Tunnel changed' }).waitFor()
    assert.equal(await page.getByRole('rowheader').count(), 2)
    await page.getByRole('link', { name: 'All changes' }).click()
    await page.getByText('What was there at first').waitFor()
    await goTo(visited, host, 'audit', /^Audit log \d+/)
    await page.getByRole('button', { name: 'Tunnel changed' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Changes' }).click()
    await page.getByRole('row').filter({ hasText: 'Ticket 17' }).waitFor()
    assert.equal(await page.getByRole('rowheader').count(), 1)
  })

  it('pins a change', async () => {
    const { page } = await visitHistory()
    await page.getByRole('button', { name: 'Tunnel changed' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pin', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unpin' }).waitFor()
    assert.equal((await lastRevision(operator)).is_pinned, true)
  })

  it('says which objects differ from the file that was applied', async () => {
    const document = {
      version: 1,
      tunnels: [{ interface_name: 'gre-file', remote_endpoint: '203.0.113.99', local_endpoint: '192.0.2.1' }],
    }
    assert.equal((await operator.post('/desired', { document, name: 'site.yaml' })).status, 200)
    const { page } = await visitHistory()
    await page.getByText('The panel is as this file says.').waitFor()
    const { body } = await operator.get<{ tunnels: { tunnel_id: number; interface_name: string }[] }>('/tunnels')
    const made = body.tunnels.find(({ interface_name }) => interface_name === 'gre-file')
    await patchTunnel(operator, made?.tunnel_id ?? 0, { mtu: 1300 })
    await page.reload()
    await page.getByText('1 object differs from it since:').waitFor()
    await page.getByRole('listitem').getByRole('link', { name: 'gre-file' }).first().waitFor()
  })

  it('fits a phone', async () => {
    const { page } = await visitHistory('', { viewport: PHONE })
    await page.getByText('What was there at first').waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
