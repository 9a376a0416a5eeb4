// A rule edited in its row of the list: its port, destination and name, with the difference planned before it is saved.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { getRoute, madeRoute } from '../api/support/routes.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { hands } from './support/counting.ts'
import { eachHost, goTo, seen, signedIn, type Host } from './support/host.ts'
import { ledRelayHost } from './support/relays.ts'

describe('A rule in its row', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(ledRelayHost, (made) => ({ host, client } = made))

  const list = async (look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, 'routes', /^Relay rules/)
  const row = (page: Page, name: RegExp | string): Locator => page.locator('tbody tr.line').filter({ hasText: name })
  const pencil = (page: Page, title: string): Locator => page.getByRole('button', { name: title, exact: true })
  const cell = (page: Page, label: string): Locator => page.getByRole('textbox', { name: label, exact: true })
  const plan = (page: Page): Locator => page.getByRole('dialog', { name: /^Edit / })
  const difference = (page: Page): Locator => plan(page).getByRole('region', { name: 'What changes' })
  const stored = async (id = 1) => (await getRoute(client, id)).body.route
  const focusIsIn = (page: Page, selector: string): Promise<boolean> =>
    page.evaluate((wanted) => document.activeElement?.closest(wanted) !== null, selector)

  for (const [of, at, column, label, value, shown, changed] of [
    ['port', 3, 'Listens on', 'Port', '8443', '192.0.2.1:8443', /^Port\s+443\s*→\s*8443$/],
    [
      'destination’s port',
      4,
      'Relays to',
      'Relays to',
      '10.9.0.2:9443',
      '10.9.0.2:9443',
      /:8443\s*→\s*10\.9\.0\.2:9443$/,
    ],
  ] as const)
    it(`has its ${of} changed by two clicks and one field, the difference planned between them`, async () => {
      const { page } = await list()
      const { count, click, typeOn } = hands()
      const before = await stored()
      await row(page, 'Web').locator('.cell').nth(at).hover()
      await click(pencil(page, `Edit ${column}: Web`))
      await cell(page, label).waitFor()
      await typeOn(page, value)
      await page.keyboard.press('Enter')
      assert.match(await difference(page).innerText(), changed)
      assert.equal(
        await plan(page)
          .getByText(/relay TCP of/)
          .count(),
        0,
      )
      assert.deepEqual(await stored(), before)
      await click(plan(page).getByRole('button', { name: 'Save the changes' }))
      await page
        .getByText(/^Web is changed/)
        .first()
        .waitFor()
      await row(page, 'Web').getByText(shown).waitFor()
      const { bind_port, destinations } = await stored()
      assert.ok([`192.0.2.1:${bind_port}`, `10.9.0.2:${destinations[0]?.port}`].includes(shown))
      assert.equal(await plan(page).count(), 0)
      assert.deepEqual(count, { clicks: 2, fields: 1, files: 0 })
    })

  it('is edited by keys alone: F2, Tab to the next cell, Enter for the plan, and the focus where it was', async () => {
    const { page } = await list()
    await row(page, 'Web').getByRole('link', { name: 'Web' }).focus()
    await page.keyboard.press('F2')
    await cell(page, 'Name').waitFor()
    await page.keyboard.type('Shop')
    await page.keyboard.press('Tab')
    await page.keyboard.type('444-445')
    await page.keyboard.press('Tab')
    assert.equal(await cell(page, 'Relays to').inputValue(), '10.9.0.2:8443')
    await page.keyboard.type('10.9.0.9:9000-9001')
    await page.keyboard.press('Enter')
    await difference(page).waitFor()
    assert.match(
      await difference(page).innerText(),
      /Port\s+443\s*→\s*444\s+Last port of a range\s+None\s*→\s*445[^]*Name\s+Web\s*→\s*Shop[^]*10\.9\.0\.2:8443\s*→\s*10\.9\.0\.9:9000-9001/,
    )
    assert.ok(await focusIsIn(page, '[data-review]'))
    for (let n = 0; !(await focusIsIn(page, '.primary')); n++) {
      assert.ok(n < 12)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page
      .getByText(/^Shop is changed/)
      .first()
      .waitFor()
    const { route_rule_title, bind_port, bind_port_range_end, destinations } = await stored()
    assert.deepEqual([route_rule_title, bind_port, bind_port_range_end], ['Shop', 444, 445])
    assert.deepEqual(
      destinations.map(({ address, port, port_range_end }) => [address, port, port_range_end]),
      [['10.9.0.9', 9000, 9001]],
    )
    await page.waitForFunction(() => document.activeElement?.closest('.head')?.textContent.includes('Shop'))
  })

  it('is put back by Escape, from a cell and from the plan, with the focus on the cell', async () => {
    const { page } = await list()
    const port = row(page, 'Web').getByRole('button', { name: '192.0.2.1:443' })
    for (const isPlanned of [false, true]) {
      await port.dblclick()
      await cell(page, 'Port').fill('8443')
      if (isPlanned) {
        await page.keyboard.press('Enter')
        await difference(page).waitFor()
      }
      await page.keyboard.press('Escape')
      await port.waitFor()
      assert.equal(await page.getByRole('dialog').count(), 0)
      assert.ok(await port.evaluate((button) => button === document.activeElement))
    }
    assert.equal((await stored()).bind_port, 443)
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await seen(page, 'Overview')
  })

  it('is refused beside the cell, before and after it is sent, and what was typed stays', async () => {
    const { page, gates } = await list()
    const fault = async (label: string): Promise<string> => {
      const invalid = page.locator('[aria-invalid=true]')
      await invalid.waitFor()
      assert.equal(await invalid.getAttribute('aria-label'), label)
      return page.locator(`[id="${await invalid.getAttribute('aria-describedby')}"]`).innerText()
    }
    await row(page, 'Web').locator('.cell').nth(3).dblclick()
    await cell(page, 'Port').fill('443,80')
    await page.keyboard.press('Enter')
    assert.equal(await fault('Port'), 'Enter a port, or a range such as 5000-5999')
    await cell(page, 'Port').fill('70000')
    gates.expectAnswer(422, '/routes/preview')
    await page.keyboard.press('Enter')
    await page.getByText('Port must be a whole number from 1 to 65535.').waitFor()
    assert.equal(await fault('Port'), 'Port must be a whole number from 1 to 65535.')
    await cell(page, 'Port').fill('443')
    await cell(page, 'Relays to').fill('nonsense:80')
    gates.expectAnswer(422, '/routes/preview')
    await page.keyboard.press('Enter')
    await page.getByText('nonsense is not an IP address.').waitFor()
    assert.equal(await fault('Relays to'), 'nonsense is not an IP address.')
    assert.equal(await cell(page, 'Relays to').inputValue(), 'nonsense:80')
    assert.equal((await stored()).bind_port, 443)
  })

  it('has the form for what a cell cannot say, where what was typed goes on', async () => {
    await madeRoute(client, {
      route_rule_title: 'Two',
      bind_port: 4443,
      destinations: [
        { address: '10.9.0.2', port: 8443 },
        { address: '10.9.0.3', port: 8443 },
      ],
    })
    const { page } = await list()
    await row(page, 'Two').locator('.cell').nth(4).dblclick()
    await seen(page, /^Edit .*Two/)
    await page.goBack()
    await row(page, 'Two').locator('.cell').nth(3).dblclick()
    await cell(page, 'Port').fill('4444')
    assert.equal(await cell(page, 'Relays to').count(), 0)
    await page.keyboard.press('Enter')
    await difference(page).waitFor()
    assert.match(await difference(page).innerText(), /^Port\s+4443\s*→\s*4444$/)
    await plan(page).getByText('The whole plan').click()
    await plan(page)
      .getByText(/relay TCP of/)
      .waitFor()
    await plan(page).getByText('Netfilter text of this rule').click()
    await plan(page).locator('pre .new').filter({ hasText: '4444' }).first().waitFor()
  })

  it('shows what changed elsewhere meanwhile beside what was typed, and saves what is chosen', async () => {
    const { page, gates } = await list()
    await row(page, 'Web').locator('.cell').nth(3).dblclick()
    await cell(page, 'Port').fill('8443')
    await page.keyboard.press('Enter')
    await difference(page).waitFor()
    await client.patch('/routes/1', { bind_port: 9443, description: 'by another' })
    gates.allowConsole(/412/)
    await plan(page).getByRole('button', { name: 'Save the changes' }).click()
    await plan(page).getByRole('heading', { name: 'Changed meanwhile' }).waitFor()
    assert.match(await plan(page).getByRole('table').innerText(), /Port\s+9443\s+8443/)
    await plan(page).getByRole('button', { name: /^Keep/ }).click()
    await difference(page).waitFor()
    assert.match(await difference(page).innerText(), /^Port\s+9443\s*→\s*8443$/)
    await plan(page).getByRole('button', { name: 'Save the changes' }).click()
    await page
      .getByText(/^Web is changed/)
      .first()
      .waitFor()
    assert.deepEqual([(await stored()).bind_port, (await stored()).description], [8443, 'by another'])
  })

  it('is tried in a trial, and is back in its form with what was typed once that was put back', async () => {
    const { page } = await list()
    await page.getByRole('switch', { name: /^Trial: / }).click()
    await page.getByText(/begins with the first change/).waitFor()
    await row(page, 'Web').locator('.cell').nth(3).dblclick()
    await cell(page, 'Port').fill('8443')
    await page.keyboard.press('Enter')
    await plan(page)
      .getByRole('button', { name: /^Try for 1\smin$/ })
      .click()
    await page
      .getByText(/^Web is changed/)
      .first()
      .waitFor()
    await host.windowClock.advance(60_000)
    await page.getByRole('button', { name: 'Back to what was typed' }).click()
    await seen(page, /^Edit /)
    const port = page.getByRole('spinbutton', { name: 'Port', exact: true }).first()
    assert.equal(await port.inputValue(), '8443')
  })

  for (const [language, look] of [
    ['en', { viewport: PHONE }],
    ['fa', { viewport: PHONE }],
    ['fa', {}],
  ] as const)
    it(`fits its plan into the window: ${language}, ${'viewport' in look ? 'phone' : 'desktop'}`, async () => {
      const visited = await signedIn(await visit(host, look))
      await client.put('/settings', { 'display.language': language })
      const { page } = await goTo(visited, host, 'routes', /./)
      const port = row(page, 'Web').getByRole('button', { name: '192.0.2.1:443' })
      await port.focus()
      await page.keyboard.press('F2')
      await page.locator('[name=bind_port]').fill('8443')
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
})
