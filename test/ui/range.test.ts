// The time range of the charts: one for all of a page, in its address, and every step of it undone by "back".
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { browsing, PHONE, type Look } from './support/browser.ts'
import { goTo, scrollToEnd, signedIn, startHost, type Host } from './support/host.ts'
import { BREAK, giveHistory, giveTraffic, type StartOf } from './support/past.ts'

/** Half an hour of a day was down, or of what is left of that day by now. */
const OF_THE_DAY = /^Uptime 97\.\d+\s%$/

describe('The time range of the charts', () => {
  const { visit } = browsing()
  let host: Host
  let startOf: StartOf
  before(async () => {
    host = await startHost()
    const client = await host.setUp()
    await createTunnel(client)
    await createRoute(client, { route_rule_title: 'web' })
    startOf = await giveHistory(host, 1)
    await giveTraffic(host, 1)
  })
  after(() => host.close())

  const visitHistory = async (query = '', look?: Look): Promise<Page> => {
    const visited = await goTo(await signedIn(await visit(host, look)), host, `tunnels/1/history${query}`, /gre-a-1/)
    await visited.page.locator('.u-over').nth(1).waitFor()
    return visited.page
  }
  /** In seconds since 1970, as the address has them. */
  const ownRange = (page: Page): { from: number; to: number } => {
    const { searchParams } = new URL(page.url())
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? '') / 1000)
    return { from: from ?? NaN, to: to ?? NaN }
  }
  /** What the state bar says of the time shown: it is of the same points as the charts. */
  const uptime = (page: Page): Promise<string> => page.locator('[data-uptime]').innerText()
  const within = (found: number, due: number, by: number): void =>
    assert.ok(
      Math.abs(found - due) <= by,
      `${new Date(found * 1000).toISOString()}, not ${new Date(due * 1000).toISOString()}`,
    )

  it('is zoomed by dragging over one chart, on all of them, and "back" undoes it', async () => {
    const page = await visitHistory()
    const plot = page.getByRole('slider', { name: 'Round trip' })
    const box = (await plot.boundingBox()) ?? assert.fail()
    const pixelOf = (time: number): number => {
      const to = Math.ceil(Date.now() / 60_000) * 60
      return box.x + (box.width * (time - to + 86_400)) / 86_400
    }
    const [from, to] = [startOf(BREAK.from) - 3600, startOf(BREAK.to) + 3600]
    await page.mouse.move(pixelOf(from), box.y + 40)
    await page.mouse.down()
    await page.mouse.move(pixelOf(to), box.y + 60, { steps: 4 })
    const chosen = (await page.locator('[data-drag]').boundingBox()) ?? assert.fail()
    assert.ok(Math.abs(chosen.width - (pixelOf(to) - pixelOf(from))) < 3, 'what is dragged over is marked')
    await page.mouse.up()
    await page.waitForURL(/from=.*&to=/)
    const pixel = 86_400 / box.width
    within(ownRange(page).from, from, 60 + 2 * pixel)
    within(ownRange(page).to, to, 60 + 2 * pixel)
    // Half an hour of two and a half was down.
    await page.getByText(/^Uptime (79|80|81)/).waitFor()
    const bar = (await page.locator('.bar rect.down').boundingBox()) ?? assert.fail()
    assert.ok(Math.abs(bar.width / box.width - 0.2) < 0.02, `the break is ${bar.width} of ${box.width}`)
    await page.goBack()
    await page.getByText(OF_THE_DAY).waitFor()
    assert.equal(new URL(page.url()).search, '')
    assert.equal(await page.getByRole('button', { name: '1 day', pressed: true }).count(), 1)
  })

  it('is chosen by name, kept over a reload, and each choice is undone by "back"', async () => {
    const page = await visitHistory()
    await page.getByRole('button', { name: '7 days' }).click()
    await page.waitForURL(/range=7d/)
    await page.getByRole('button', { name: '6 hr' }).click()
    await page.waitForURL(/range=6h/)
    await page.reload()
    await page.getByRole('button', { name: '6 hr', pressed: true }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: '7 days', pressed: true }).waitFor()
  })

  it('takes a beginning and an end by keyboard, and says what is wrong with them', async () => {
    const page = await visitHistory()
    await page.getByRole('button', { name: 'Custom' }).focus()
    await page.keyboard.press('Enter')
    const [from, to] = [startOf(BREAK.from), startOf(BREAK.to)]
    const local = (time: number): Promise<string> =>
      page.evaluate(
        (at) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
        time * 1000,
      )
    await page.getByLabel('From').fill(await local(to))
    await page.getByLabel('To', { exact: true }).fill(await local(from))
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('alert').getByText('The end must be later than the start').waitFor()
    await page.getByLabel('From').fill(await local(from))
    await page.getByLabel('To', { exact: true }).fill(await local(to))
    await page.keyboard.press('Enter')
    await page.waitForURL(/from=/)
    assert.deepEqual(ownRange(page), { from, to })
    await page.getByText('Uptime 0 %').waitFor()
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await page.getByText('Uptime 50 %').waitFor()
    await page.getByRole('button', { name: 'Back to the last day' }).click()
    await page.getByText(OF_THE_DAY).waitFor()
  })

  it('is zoomed on a phone by its buttons, and a finger on a chart only reads it', async () => {
    const page = await visitHistory('', { viewport: PHONE })
    const plot = page.getByRole('slider', { name: 'Round trip' })
    await plot.scrollIntoViewIfNeeded()
    await plot.tap()
    await page.locator('.tip').first().waitFor()
    assert.equal(new URL(page.url()).search, '')
    await page.getByRole('button', { name: 'Zoom in' }).tap()
    await page.waitForURL(/from=/)
    const { from, to } = ownRange(page)
    within(to - from, 43_200, 120)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  })

  it('is the same on the page of a rule, at a live range too', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1?range=live', 'web')
    await scrollToEnd(page)
    // Comes in above the chart.
    await page.getByRole('heading', { name: 'Destinations and checks' }).waitFor()
    await page.getByRole('button', { name: 'Live', pressed: true }).waitFor()
    await page.getByRole('button', { name: '1 day' }).click()
    await page.locator('.u-over').first().waitFor()
    const plot = page.getByRole('slider', { name: 'Rate' })
    await plot.scrollIntoViewIfNeeded()
    const box = (await plot.boundingBox()) ?? assert.fail()
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 3 })
    await page.mouse.up()
    await page.waitForURL(/from=/)
    const { from, to } = ownRange(page)
    within(to - from, 21_600, 240)
    assert.match(await uptime(await visitHistory(new URL(page.url()).search)), /^Uptime/)
  })
})
