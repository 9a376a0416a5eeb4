// What is typed into a form is lost to nothing but an explicit discard: not to a change in another tab, not to an
// action on the same page, not to a reload.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { getRoute, patchRoute } from '../api/support/routes.ts'
import { getTunnel, patchTunnel } from '../api/support/tunnels.ts'
import { browsing, type Visit } from './support/browser.ts'
import { eachHost, field, goTo, type Host, signedIn } from './support/host.ts'
import { relayHost } from './support/relays.ts'

describe('What is typed into a form', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(relayHost, (made) => ({ host, client } = made))

  const edit = async (path: string, heading: RegExp): Promise<Page> =>
    (await goTo(await signedIn(await visit(host, { allowConsole: /412/ })), host, `${path}/edit`, heading)).page
  const editTunnel = (): Promise<Page> => edit('tunnels/1', /gre-a-1/)
  const elsewhere = async (body: object): Promise<void> => {
    host.clock.advance(1)
    assert.equal((await patchTunnel(client, 1, body)).status, 200)
  }
  const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click()

  it('is saved beside what another tab changed in other fields', async () => {
    const page = await editTunnel()
    await field(page, 'Note').fill('mine')
    await elsewhere({ display_name: 'Theirs' })
    await save(page)
    await page.getByText('gre-a-1 is saved').first().waitFor()
    const { note, display_name } = (await getTunnel(client, 1)).body
    assert.deepEqual([note, display_name], ['mine', 'Theirs'])
  })

  for (const [choice, stored] of [
    ['Keep mine', 'mine'],
    ['Take theirs', 'theirs'],
  ] as const)
    it(`is shown beside what another tab changed in the same field: “${choice}”`, async () => {
      const page = await editTunnel()
      await field(page, 'Note').fill('mine')
      await field(page, 'Display name').fill('Mine too')
      await elsewhere({ note: 'theirs' })
      await save(page)
      const row = page.getByRole('row', { name: /Note/ })
      assert.match(await row.innerText(), /theirs\s+mine/)
      await page.waitForFunction(() => document.activeElement?.hasAttribute('data-changes'))
      await page.getByRole('button', { name: `${choice}: Note` }).click()
      await row.waitFor({ state: 'detached' })
      await save(page)
      await page.getByText('gre-a-1 is saved').first().waitFor()
      const { note, display_name } = (await getTunnel(client, 1)).body
      assert.deepEqual([note, display_name], [stored, 'Mine too'])
    })

  it('survives an action on the same page', async () => {
    const page = await editTunnel()
    await field(page, 'Note').fill('mine')
    await page.getByRole('button', { name: 'Disable' }).click()
    await page
      .getByRole('button', { name: /^(Disable|Enable)$/ })
      .first()
      .waitFor()
    assert.equal(await field(page, 'Note').inputValue(), 'mine')
  })

  it('survives a reload, which says so, and is gone once it is discarded', async () => {
    const page = await editTunnel()
    await field(page, 'Note').fill('mine')
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('Restored what you typed').waitFor()
    assert.equal(await field(page, 'Note').inputValue(), 'mine')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: /gre-a-1/ }).waitFor()
    assert.equal(await field(page, 'Note').inputValue(), '')
  })

  it('of a rule is sent alone, so that a port which another tab changed stays changed', async () => {
    const page = await edit('routes/1', /^Edit .*Web/)
    await field(page, 'Notes').fill('mine')
    host.clock.advance(1)
    await patchRoute(client, 1, { bind_port: 8443 })
    for (const button of ['Review the plan', 'Save the changes'])
      await page.getByRole('button', { name: button }).click()
    await page.getByText(/changed meanwhile/).waitFor()
    for (const button of ['Review the plan', 'Save the changes'])
      await page.getByRole('button', { name: button }).click()
    await page.getByRole('heading', { level: 1, name: /^.*Web/ }).waitFor()
    await page.getByRole('heading', { name: 'On the host' }).waitFor()
    const { route } = (await getRoute(client, 1)).body
    assert.deepEqual([route.description, route.bind_port], ['mine', 8443])
  })

  it('for a new tunnel survives a reload', async () => {
    const visited: Visit = await goTo(await signedIn(await visit(host)), host, 'tunnels/new', 'Create a tunnel')
    const { page } = visited
    await page.getByRole('button', { name: 'Start here' }).click()
    await field(page, "The other server's address").fill('203.0.113.77')
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('Restored what you typed').waitFor()
    assert.equal(await field(page, "The other server's address").inputValue(), '203.0.113.77')
  })
})
