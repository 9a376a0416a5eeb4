// The list of tunnels as it is worked in: a name edited in its row, and the plan of a change.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { getTunnel } from '../api/support/tunnels.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { eachHost, goTo, seen, signedIn, tunnelHost, type Host } from './support/host.ts'

describe('A tunnel in its row', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(tunnelHost, (made) => ({ host, client } = made))

  const list = async (look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, 'tunnels', /^Tunnels/)
  const row = (page: Page, name: string): Locator => page.locator('tbody tr.line').filter({ hasText: name })
  const cell = (page: Page): Locator => page.getByRole('textbox', { name: 'Display name', exact: true })
  const plan = (page: Page): Locator => page.getByRole('dialog', { name: /^Edit / })
  const difference = (page: Page): Locator => plan(page).getByRole('region', { name: 'What changes' })
  const save = (page: Page): Promise<void> => plan(page).getByRole('button', { name: 'Save the changes' }).click()
  const nameOf = async (id: number): Promise<string> => (await getTunnel(client, id)).body.display_name

  it('is named by what people call it, then by its interface, and edited by keys alone', async () => {
    const { page } = await list()
    assert.match(await row(page, 'gre-a-2').locator('.head').innerText(), /^Frankfurt\s+gre-a-2$/)
    await row(page, 'gre-a-2').getByRole('link', { name: 'Frankfurt' }).focus()
    await page.keyboard.press('F2')
    await cell(page).waitFor()
    await page.keyboard.type('Wien')
    await page.keyboard.press('Enter')
    await difference(page).waitFor()
    assert.match(await difference(page).innerText(), /^Display name\s+Frankfurt\s*→\s*Wien$/)
    await plan(page).getByText('Nothing has to be done on this server.').waitFor()
    assert.equal(await nameOf(2), 'Frankfurt')
    await save(page)
    await row(page, 'gre-a-2').getByRole('link', { name: 'Wien' }).waitFor()
    assert.equal(await nameOf(2), 'Wien')
    assert.equal(await plan(page).count(), 0)
    await page.waitForFunction(() => document.activeElement?.closest('.head')?.textContent.includes('Wien'))
  })

  it('is edited by the pencil, and put back by Escape with the focus on the cell', async () => {
    const { page } = await list()
    await row(page, 'gre-a-1').locator('.head').hover()
    await page.getByRole('button', { name: 'Edit Tunnel: Hamburg relay · gre-a-1', exact: true }).click()
    await cell(page).fill('Bremen')
    await page.keyboard.press('Escape')
    await row(page, 'gre-a-1').getByRole('link', { name: 'Hamburg relay' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await nameOf(1), 'Hamburg relay')
  })

  it('shows what changed elsewhere meanwhile beside what was typed, and saves what is chosen', async () => {
    const { page, gates } = await list()
    await row(page, 'gre-a-1')
      .locator('.head')
      .dblclick({ position: { x: 2, y: 2 } })
    await cell(page).fill('Bremen')
    await page.keyboard.press('Enter')
    await difference(page).waitFor()
    await client.patch('/tunnels/1', { display_name: 'Kiel', note: 'by another' })
    gates.allowConsole(/412/)
    await save(page)
    await plan(page).getByRole('heading', { name: 'Changed meanwhile' }).waitFor()
    assert.match(await plan(page).getByRole('table').innerText(), /Display name\s+Kiel\s+Bremen/)
    await plan(page).getByRole('button', { name: /^Keep/ }).click()
    await difference(page).waitFor()
    assert.match(await difference(page).innerText(), /^Display name\s+Kiel\s*→\s*Bremen$/)
    await save(page)
    await row(page, 'gre-a-1').getByRole('link', { name: 'Bremen' }).waitFor()
    assert.deepEqual([await nameOf(1), (await getTunnel(client, 1)).body.note], ['Bremen', 'by another'])
  })

  for (const [language, look] of [
    ['en', { viewport: PHONE }],
    ['fa', { viewport: PHONE }],
    ['fa', {}],
  ] as const)
    it(`fits its plan into the window: ${language}, ${'viewport' in look ? 'phone' : 'desktop'}`, async () => {
      const visited = await signedIn(await visit(host, look))
      await client.put('/settings', { 'display.language': language })
      const { page } = await goTo(visited, host, 'tunnels', /./)
      await row(page, 'gre-a-2').getByRole('link', { name: 'Frankfurt' }).focus()
      await page.keyboard.press('F2')
      await page.locator('[name=display_name]').fill('Wien')
      await page.keyboard.press('Enter')
      const panel = page.getByRole('dialog')
      await panel.locator('.primary').waitFor()
      const [at, { width, height }] = [await panel.boundingBox(), page.viewportSize() ?? { width: 0, height: 0 }]
      assert.ok(at && at.x >= 0 && at.y >= 0 && at.x + at.width <= width && at.y + at.height <= height)
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width)
      // What it half covers is not for axe to measure.
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
    })

  it('shows on its form what changes, and the whole plan on demand', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'tunnels/1/edit', /gre-a-1/)
    await page.getByLabel('MTU', { exact: true }).fill('1400')
    const changes = page.getByRole('region', { name: 'What changes' })
    await changes.waitFor()
    assert.match(await changes.innerText(), /^MTU\s+1472\s*→\s*1400$/)
    await page.getByText('The whole plan').click()
    await page.getByRole('listitem').filter({ hasText: '1400' }).first().waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await changes.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await seen(page, /Overview|gre-a-1/)
  })
})
