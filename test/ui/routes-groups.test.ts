// The list of relay rules in groups, with the sums of each, and its saved views.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { listRoutes } from '../api/support/routes.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { eachHost, goTo, signedIn, type Host } from './support/host.ts'
import { chooseColumns } from './support/lists.ts'
import { ledRelayHost } from './support/relays.ts'

describe('The list of relay rules in groups', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(ledRelayHost, (made) => ({ host, client } = made))

  const list = async (look: Look = {}, path = ''): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, `routes${path}`, /^Relay rules/)
  const open = (page: Page): Promise<void> =>
    page.getByRole('button', { name: 'Groups and views', exact: true }).click()
  const menu = (page: Page): Locator => page.getByRole('group', { name: 'Groups and views', exact: true })
  const groupBy = async (page: Page, name: string): Promise<void> => {
    await open(page)
    await menu(page).getByRole('button', { name, exact: true }).click()
    await page.keyboard.press('Escape')
  }
  const group = (page: Page, name: string): Locator => page.locator('tr.group').filter({ hasText: name })
  /** Groups by their names, and under each the rules that are shown. */
  const lines = (page: Page): Promise<string[]> =>
    page
      .locator('tbody tr.line')
      .evaluateAll((rows) =>
        rows.map((row) =>
          row.classList.contains('group')
            ? `${row.querySelector('button bdi')?.textContent ?? ''}:`
            : (row.querySelector('.head a')?.textContent ?? ''),
        ),
      )

  it('has broken ones first, each with its number, its states and its traffic, and keeps them', async () => {
    const { page } = await list()
    await groupBy(page, 'Tunnel')
    await group(page, 'gre-a-1').waitFor()
    assert.deepEqual(await lines(page), [
      'Without a tunnel:',
      'Never reached',
      'Names',
      'Hamburg relay:',
      'Web',
      'All high ports',
    ])
    assert.match(
      await group(page, 'Without a tunnel').innerText(),
      /Without a tunnel\s+2 relay rules\s+1 Relays nothing\s+1 Disabled\s*↑/,
    )
    await page.reload()
    await group(page, 'gre-a-1').waitFor()
    await groupBy(page, 'Tags')
    await group(page, 'shop').waitFor()
    assert.deepEqual(
      (await lines(page)).filter((line) => line.endsWith(':')),
      ['Without tags:', 'shop:'],
    )
    await groupBy(page, 'State')
    await group(page, 'Disabled').waitFor()
    assert.deepEqual(
      (await lines(page)).filter((line) => line.endsWith(':')),
      ['Relays nothing:', 'In force:', 'Disabled:'],
    )
    await groupBy(page, 'No groups')
    await group(page, 'Disabled').waitFor({ state: 'detached' })
    assert.equal((await lines(page)).length, 4)
  })

  it('is folded by a key, one or all, and searched as without groups', async () => {
    const { page } = await list()
    await groupBy(page, 'Tunnel')
    const fold = group(page, 'Without a tunnel').getByRole('button')
    await fold.focus()
    await page.keyboard.press('Enter')
    assert.equal(await fold.getAttribute('aria-expanded'), 'false')
    assert.deepEqual(await lines(page), ['Without a tunnel:', 'Hamburg relay:', 'Web', 'All high ports'])
    await page.reload()
    await group(page, 'gre-a-1').waitFor()
    assert.deepEqual(await lines(page), ['Without a tunnel:', 'Hamburg relay:', 'Web', 'All high ports'])
    await open(page)
    await menu(page).getByRole('button', { name: 'Fold all groups' }).click()
    assert.deepEqual(await lines(page), ['Without a tunnel:', 'Hamburg relay:'])
    await page.keyboard.press('/')
    await page.keyboard.type('web')
    await group(page, 'Without a tunnel').waitFor({ state: 'detached' })
    assert.deepEqual(await lines(page), ['Hamburg relay:'])
    await page.getByRole('searchbox').fill('')
    await open(page)
    await menu(page).getByRole('button', { name: 'Unfold all groups' }).click()
    assert.equal((await lines(page)).length, 6)
    await page.getByRole('button', { name: 'Rule', exact: true }).click()
    assert.deepEqual(await lines(page), [
      'Without a tunnel:',
      'Names',
      'Never reached',
      'Hamburg relay:',
      'All high ports',
      'Web',
    ])
  })

  it('has a group selected at once, folded too, and acted on', async () => {
    const { page } = await list()
    await groupBy(page, 'Tunnel')
    await group(page, 'Without a tunnel').getByRole('button').click()
    await page.getByRole('checkbox', { name: 'Select all in Without a tunnel' }).check()
    await page.getByText('Selected: 2 relay rules').waitFor()
    await page.getByRole('group', { name: 'Actions on the selection' }).getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('dialog').getByText('Done: 1 of 1.').waitFor()
    assert.deepEqual(
      (await listRoutes(client)).body.routes.map(({ route }) => route.is_enabled),
      [true, true, false, false],
    )
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('checkbox', { name: 'Select all in Without a tunnel' }).uncheck()
  })

  it('is saved as a view with its search, order and columns, which is chosen, renamed and deleted', async () => {
    const { page } = await list({}, '?q=proto:tcp&sort=-name')
    await groupBy(page, 'Tunnel')
    await chooseColumns(page, ['Uptime'])
    await open(page)
    await menu(page).getByRole('textbox', { name: 'Name of the view' }).fill('Night')
    await page.keyboard.press('Enter')
    await menu(page).getByRole('button', { name: 'Night', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    const shown = await lines(page)
    await chooseColumns(page, ['Uptime'])
    await groupBy(page, 'No groups')
    await page.goto(`${host.base}routes`)
    await page.getByRole('columnheader', { name: 'Uptime' }).waitFor()
    assert.equal((await lines(page)).length, 4)
    await open(page)
    await menu(page).getByRole('button', { name: 'Night', exact: true }).click()
    await group(page, 'gre-a-1').waitFor()
    assert.deepEqual(await lines(page), shown)
    assert.equal(await page.getByRole('columnheader', { name: 'Uptime' }).count(), 0)
    assert.match(page.url(), /\?q=proto:tcp&sort=-name$/)
    await open(page)
    await menu(page).getByRole('button', { name: 'Rename Night' }).click()
    await menu(page).getByRole('textbox', { name: 'Name of the view' }).fill('Day')
    await menu(page).getByRole('button', { name: 'Save', exact: true }).click()
    await page.reload()
    await open(page)
    await menu(page).getByRole('button', { name: 'Day', exact: true }).waitFor()
    assert.equal(await menu(page).getByRole('button', { name: 'Night', exact: true }).count(), 0)
    await menu(page).getByRole('button', { name: 'Delete Day' }).click()
    await menu(page).getByRole('button', { name: 'Day', exact: true }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
  })

  it('fits on a phone, right to left too', async () => {
    const { page } = await list({ viewport: PHONE })
    await groupBy(page, 'Tunnel')
    for (const language of ['en', 'fa']) {
      await client.put('/settings', { 'display.language': language })
      await page.reload()
      await page.locator('tr.group').first().waitFor()
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
    }
  })
})
