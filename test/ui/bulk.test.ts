// Lists as the operator works with them: many rows at once, with the result of each; columns by choice.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { listRoutes } from '../api/support/routes.ts'
import { browsing, PHONE, type Look } from './support/browser.ts'
import { eachHost, goTo, type Host, signedIn } from './support/host.ts'
import { chooseColumns } from './support/lists.ts'
import { relayHost } from './support/relays.ts'

describe('A list', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(relayHost, (made) => ({ host, client } = made))

  const open = async (path: 'tunnels' | 'routes', look?: Look): Promise<Page> =>
    (await goTo(await signedIn(await visit(host, look)), host, `${path}?sort=name`, /4$/)).page
  const box = (page: Page, name: string): Locator =>
    page.getByRole('checkbox', { name: new RegExp(`^Select (.* · )?${name}$`) })
  const selected = (page: Page): Promise<string> =>
    page.getByRole('group', { name: 'Actions on the selection' }).getByRole('status').innerText()
  const does = async (page: Page, action: string): Promise<Locator> => {
    await page.getByRole('group', { name: 'Actions on the selection' }).getByRole('button', { name: action }).click()
    return page.getByRole('dialog')
  }
  const enabled = async (): Promise<boolean[]> =>
    (await listRoutes(client)).body.routes.map(({ route }) => route.is_enabled)

  it('is selected by click, by shift and click, and by the keyboard', async () => {
    const page = await open('tunnels')
    await box(page, 'gre-a-1').click()
    await box(page, 'gre-a-4').click({ modifiers: ['Shift'] })
    assert.equal(await selected(page), 'Selected: 3 tunnels')
    await box(page, 'long-name-gre-6').click()
    assert.equal(await selected(page), 'Selected: 2 tunnels')
    await page.keyboard.press('Escape')
    await box(page, 'gre-a-1').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    assert.equal(await selected(page), 'Selected: 2 tunnels')
    assert.ok(await box(page, 'long-name-gre-6').evaluate((one) => one === document.activeElement))
    await page.getByRole('button', { name: 'Select all 4 that match' }).click()
    assert.equal(await selected(page), 'Selected: 4 tunnels')
    await page.getByRole('button', { name: 'Clear selection' }).click()
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
  })

  it('touches only those that match the search', async () => {
    const page = await open('routes')
    await page.getByRole('checkbox', { name: 'Select all 4 that match' }).check()
    await page.getByRole('searchbox').fill('proto:udp')
    await page.getByText('1 of 4').waitFor()
    assert.equal(await selected(page), 'Selected: 1 relay rule')
    const dialog = await does(page, 'Enable')
    await dialog.getByRole('listitem').getByText('Names', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await dialog.getByText('Done: 1 of 1.').waitFor()
    assert.deepEqual(await enabled(), [true, true, true, true])
  })

  it('disables rules behind a dialog that names them and sums the impact, and takes it back', async () => {
    const page = await open('routes')
    await page.getByRole('checkbox', { name: 'Select all 4 that match' }).check()
    const dialog = await does(page, 'Disable')
    await dialog.getByRole('heading', { name: 'Disable: 3 relay rules' }).waitFor()
    await dialog.getByText('Open connections continue; new ones follow the change.').waitFor()
    assert.match(await dialog.getByRole('region').innerText(), /Affected relay rules\s+3/)
    await dialog.getByText('Also selected, but disabled already: 1 relay rule.').waitFor()
    const named = await dialog.getByRole('listitem').allInnerTexts()
    assert.deepEqual(named.sort(), ['All high ports', 'Never reached', 'Web'])
    assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'Cancel')
    const disable = dialog.getByRole('button', { name: 'Disable' })
    assert.match(String(await disable.getAttribute('class')), /\bdanger\b/, 'as where one tunnel is disabled')
    await disable.click()
    await dialog.getByText('Done: 3 of 3.').waitFor()
    assert.deepEqual(await enabled(), [false, false, false, false])
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByRole('heading', { name: 'Undo “Disable”: 3 relay rules' }).waitFor()
    await dialog.getByText('Done: 3 of 3.').waitFor()
    assert.deepEqual(await enabled(), [true, true, true, false])
  })

  it('says by name which tunnel failed, and keeps it selected', async () => {
    const page = await open('tunnels', { allowConsole: /409 \(Conflict\)/ })
    await page.route('**/tunnels/2/restart', (route) =>
      route.fulfill({
        status: 409,
        json: { error: { code: 'TUNNEL_DISABLED', message: 'It cannot be', field: '', details: {} } },
      }),
    )
    await box(page, 'gre-a-1').click()
    await box(page, 'gre-a-2').click()
    const dialog = await does(page, 'Restart')
    await dialog.getByText('Traffic stops for a moment.', { exact: true }).waitFor()
    assert.match(await dialog.getByRole('region').innerText(), /Affected relay rules\s+1/)
    await dialog.getByRole('button', { name: 'Restart' }).click()
    await dialog.getByText('Done: 1 of 2. The rest stay selected.').waitFor()
    assert.match(await dialog.getByRole('listitem').filter({ hasText: 'Failed' }).innerText(), /gre-a-2\s*It cannot be/)
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    assert.equal(await selected(page), 'Selected: 1 tunnel')
    assert.ok(await box(page, 'gre-a-2').isChecked())
  })

  it('deletes several at once, on a phone too', async () => {
    const page = await open('tunnels', { viewport: PHONE })
    await box(page, 'gre-a-2').click()
    await box(page, 'gre-a-4').click()
    const dialog = await does(page, 'Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Done: 2 of 2.').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByRole('heading', { name: 'Tunnels 2' }).waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })

  it('has the columns that this browser chose, also after a reload', async () => {
    const page = await open('routes')
    const heads = (): Promise<string[]> => page.getByRole('columnheader').allInnerTexts()
    assert.ok((await heads()).includes('Now') && !(await heads()).includes('Panel, in total'))
    await chooseColumns(page, ['Panel, in total', 'Now'])
    const chosen = ['State', 'Rule', 'Listens on', 'Relays to', 'Tunnel', 'Uptime', 'Panel, in total']
    assert.deepEqual(await heads(), chosen)
    await page.reload()
    await page.getByRole('row', { name: /Web/ }).waitFor()
    assert.deepEqual(await heads(), chosen)
  })

  it('has the columns that its window has room for, the most important first, and no other chosen for it', async () => {
    const page = await open('routes')
    for (const [width, last] of [
      [1600, '#'],
      [1280, 'Uptime'],
      [1200, 'Now'],
      [1024, 'Tunnel'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.getByRole('columnheader').last().getByText(last, { exact: true }).waitFor()
    }
  })

  it('has the actions of a row in a menu that stays in the window', async () => {
    const page = await open('tunnels', { viewport: { width: 1280, height: 420 } })
    await page.getByRole('button', { name: /^Actions for .*gre-a-4$/ }).click()
    const menu = await page.getByRole('group', { name: /^Actions for .*gre-a-4$/ }).boundingBox()
    assert.ok(menu && menu.y >= 0 && menu.y + menu.height <= 420 && menu.x >= 0 && menu.x + menu.width <= 1280)
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByText('gre-a-4 is enabled').first().waitFor()
    assert.equal(new URL(page.url()).search, '?sort=name')
  })

  it('suggests filters and their values to the keyboard, and names those that are wrong', async () => {
    const page = await open('tunnels')
    const search = page.getByRole('searchbox')
    await search.pressSequentially('is')
    await page.getByRole('option', { name: 'is:' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'is:disabled' }).waitFor()
    await page.keyboard.type('dis')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    assert.equal(await search.inputValue(), 'is:disabled ')
    await page.getByText('1 of 4').waitFor()
    await search.fill('state:dwon')
    await page.getByText('“state:dwon” matches nothing. For “state” there are: unknown, up, degraded, down').waitFor()
    await search.fill('stat:down')
    await page.getByText('There is no filter “stat”. Filters are: state, type, is, tag, pool').waitFor()
    await search.fill('type:ip6')
    await page.getByRole('option', { name: 'type:ip6gretap' }).click()
    await page.getByText('0 of 4').waitFor()
  })

  it('has addresses that a click copies, and names from the menu of the row', async () => {
    const page = await open('tunnels')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: '198.51.100.7', exact: true }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    assert.equal(await copied(), '198.51.100.7')
    await page.getByRole('button', { name: 'Actions for Frankfurt · gre-a-2' }).click()
    await page.getByRole('button', { name: 'Copy name' }).click()
    await page.getByText('gre-a-2 is copied').first().waitFor()
    assert.equal(await copied(), 'gre-a-2')
  })

  it('has the shape of what comes in its place while it loads for longer than a moment', async () => {
    const { page } = await signedIn(await visit(host))
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/tunnels?*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${host.base}tunnels`)
    const waiting = page.locator('main [role=status]').filter({ hasText: 'Loading…' })
    await waiting.waitFor()
    assert.ok((await waiting.locator('.bar').count()) > 2)
    release()
    await page.getByRole('row', { name: /gre-a-1/ }).waitFor()
    assert.equal(await waiting.count(), 0)
  })
})
