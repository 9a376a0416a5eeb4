// A locked file on the page: what it names is shown, and is changed once the file is unlocked (reference.md, Desired).
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { apply, exportFile } from '../api/support/desired.ts'
import { madeRoute } from '../api/support/routes.ts'
import { getTunnel } from '../api/support/tunnels.ts'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { giveTunnels, goTo, signedIn, startHost, type Host } from './support/host.ts'

describe('What a locked file manages', () => {
  const { visit } = browsing()
  let host: Host
  let operator: Client
  beforeEach(async () => {
    host = await startHost()
    operator = await host.setUp()
    await giveTunnels(host, operator)
    await madeRoute(operator, { route_rule_title: 'game' })
    const { document } = await exportFile(operator)
    const { status, text } = await apply(operator, document, { name: 'site.yaml', lock: true })
    assert.equal(status, 200, text)
  })
  afterEach(() => host.close())

  const visitPage = async (path: string, title: RegExp, look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, path, title)

  it('has a form that is filled in once the file is unlocked', async () => {
    const { page } = await visitPage('tunnels/1/edit', /./)
    await page.getByText('Managed by site.yaml').waitFor()
    const note = page.getByLabel('Note', { exact: true })
    assert.equal(await note.isDisabled(), true)
    await page.getByRole('button', { name: 'Unlock' }).click()
    const dialog = page.getByRole('dialog', { name: 'Unlock what site.yaml names?' })
    await dialog.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText('Unlocked', { exact: true }).waitFor()
    await page.getByText('Managed by site.yaml').waitFor({ state: 'detached' })
    await note.fill('by hand')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    assert.equal((await saved).status(), 200)
    assert.equal((await getTunnel(operator, 1)).body.note, 'by hand')
  })

  for (const section of ['pools', 'routes'] as const)
    it(`cannot be changed in the form of ${section}`, async () => {
      const found = await operator.get<Record<string, { address_pool_id?: number }[]>>(`/${section}`)
      const { page } = await visitPage(`${section}/${found.body[section]?.[0]?.address_pool_id ?? 1}/edit`, /./)
      await page.getByText('Managed by site.yaml').waitFor()
      assert.equal(await page.getByRole('main').getByRole('textbox').first().isDisabled(), true)
    })

  it('is locked and unlocked where the files are, which fits a phone', async () => {
    const { page } = await visitPage('revisions', /^Changes/, { viewport: PHONE })
    await page.getByText('Locked', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unlock' }).click()
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
