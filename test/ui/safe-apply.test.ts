// Changes that wait for a confirmation, on the page: shown in every tab, counted down, kept, put back, and reported
// afterwards (reference.md, Safe apply).
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { MonitorSummaryAnswer } from '@panel/shared/api/monitor.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { Client } from '../api/support/client.ts'
import { OPERATOR } from '../api/support/panel.ts'
import { createRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { eventually } from '../support/eventually.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { eachHost, signedIn, type Host } from './support/host.ts'

describe('Changes that wait for a confirmation', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(
    async (one) => {
      const operator = await one.setUp()
      await createTunnel(operator)
      await one.monitor.start()
      return operator
    },
    (made) => ({ host, client } = made),
  )

  const open = async (seconds = 60): Promise<void> => {
    assert.equal((await client.post('/safe-apply', { seconds })).status, 201)
  }
  const change = async (): Promise<void> => {
    assert.equal((await client.patch('/tunnels/1', { mtu: 1400 })).status, 200)
  }
  const window = async () => (await client.get<SafeApplyAnswer>('/safe-apply')).body.window
  const mtu = async (): Promise<unknown> => (await client.get<{ mtu: number }>('/tunnels/1')).body.mtu
  const overview = async (look?: Look): Promise<Visit> => signedIn(await visit(host, look))
  const banner = (page: Page): Locator => page.getByRole('region', { name: /^Trial/ })
  const ended = (page: Page): Locator => page.getByRole('region', { name: 'Changes were put back.' })
  const press = (page: Page, name: string): Promise<void> => banner(page).getByRole('button', { name }).click()

  it('are requested once by a page that opens, and again when the panel reports one', async () => {
    const page = await (await overview()).context.newPage()
    let requests = 0
    page.on('request', (request) => (requests += request.url().endsWith('/safe-apply') ? 1 : 0))
    const streaming = page.waitForResponse((answer) => answer.url().endsWith('/monitor/stream'))
    await page.goto(host.base)
    await streaming
    await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined)
    assert.equal(requests, 1)
    await open()
    await banner(page).getByText('Nothing has been changed yet.').waitFor()
    assert.ok(requests > 1)
  })

  it('are shown once what shows them can be loaded, in a page that was opened as the panel went away', async () => {
    const { page, context, gates } = await overview()
    gates.allowConsole(/net::ERR_FAILED/)
    let failed = 0
    await context.route('**/assets/SafeApply*', (route) => {
      failed += 1
      return route.abort()
    })
    await page.reload()
    await eventually(() => failed > 0, 'the page loads it')
    await context.unroute('**/assets/SafeApply*')
    await open()
    await banner(page).waitFor()
    assert.equal(await banner(page).evaluate((one) => getComputedStyle(one).borderInlineStartWidth), '4px')
  })

  it('are in every tab as soon as one is opened, with what was changed, by whom and how long they wait', async () => {
    const first = await overview()
    const second = await first.context.newPage()
    await second.goto(`${host.base}settings`)
    await second.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await open()
    await banner(second).getByText('Nothing has been changed yet.').waitFor()
    await change()
    await client.put('/settings', { 'monitor.interval_seconds': 7 })
    for (const page of [first.page, second]) {
      await banner(page).getByRole('link', { name: 'Tunnel gre-a-1' }).waitFor()
      await banner(page).getByRole('link', { name: 'Setting Time between two probes' }).waitFor()
      assert.match(
        await banner(page).innerText(),
        /Begun by operator[\s\S]*\(changed\)[\s\S]*Put back automatically in/,
      )
    }
    await press(second, 'Keep')
    for (const page of [first.page, second]) await banner(page).waitFor({ state: 'detached' })
    assert.equal(await mtu(), 1400)
    assert.equal(await ended(first.page).count(), 0)
  })

  it('are kept by the page itself where the setting says so, once it has reached the panel and every tunnel is up', async () => {
    await client.put('/settings', { 'system.safe_apply_confirm_by': 'reach' })
    const { page } = await overview()
    await open()
    await change()
    await banner(page).waitFor()
    // First the connections from before the change are used up, one with each request.
    await banner(page).waitFor({ state: 'detached' })
    const { last } = (await client.get<SafeApplyAnswer>('/safe-apply')).body
    assert.deepEqual([last?.ended_how, await mtu()], ['confirmed', 1400])
  })

  it('are not kept by the page while a tunnel is down that was up before', async () => {
    await client.put('/settings', { 'system.safe_apply_confirm_by': 'reach' })
    while ((await client.get<MonitorSummaryAnswer>('/monitor/summary')).body.counts.Up === 0)
      await new Promise((resolve) => setTimeout(resolve, 50))
    await open()
    assert.equal((await client.post('/tunnels/1/down')).status, 200)
    while ((await window())?.tunnels_not_up.length !== 1) await new Promise((resolve) => setTimeout(resolve, 50))
    assert.deepEqual((await window())?.tunnels_not_up, ['gre-a-1'])
  })

  it('are put back if they are not kept, which every tab shows until it is dismissed, and at the next sign-in', async () => {
    const before = await mtu()
    const { page } = await overview()
    await open()
    await change()
    await banner(page).getByRole('link', { name: 'Tunnel gre-a-1' }).waitFor()
    await host.windowClock.advance(60_000)
    await ended(page).getByText('They were not confirmed in time.').waitFor()
    assert.match(await ended(page).innerText(), /Begun by operator/)
    assert.equal(await mtu(), before)
    const later = await overview()
    await ended(later.page).waitFor()
    await ended(page).getByRole('button', { name: 'Go on without a trial' }).click()
    await ended(page).waitFor({ state: 'detached' })
    const requested = page.waitForResponse((answer) => answer.url().endsWith('/safe-apply'))
    await page.reload()
    await requested
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    assert.equal(await ended(page).count(), 0)
  })

  it('are put back at once on request, and get a minute more', async () => {
    const before = await mtu()
    const { page } = await overview()
    await open(15)
    await change()
    await press(page, 'One more minute')
    await page.getByText('One more minute').first().waitFor()
    const { window } = (await client.get<SafeApplyAnswer>('/safe-apply')).body
    assert.ok((window?.seconds_left ?? 0) > 60)
    await press(page, 'Put back now')
    await ended(page).getByText('They were undone on request.').waitFor()
    assert.equal(await mtu(), before)
  })

  it('are counted down between the answers, and announced aloud with 30, 10 and 5 seconds left alone', async () => {
    const { page } = await overview()
    await page.clock.install()
    await page.reload()
    await open(45)
    await banner(page).waitFor()
    const aloud = page.locator('[aria-live=polite]').filter({ hasText: /seconds left|^Trial/ })
    assert.match(await aloud.innerText(), /^Trial: changes come back/)
    const output = new Set<string>()
    await page.route('**/safe-apply', (route) => new Promise(() => void route))
    for (let second = 0; second < 42; second += 1) {
      await page.clock.runFor(1000)
      output.add(await aloud.innerText())
    }
    assert.deepEqual(
      [...output].map((text) => /\d+/.exec(text)?.[0]),
      [undefined, '30', '10', '5'],
    )
    assert.ok(Number(await banner(page).getByRole('progressbar').getAttribute('value')) <= 5)
  })

  it('come back by themselves where the panel cannot be reached, and nothing has to be done', async () => {
    const { page, gates } = await overview()
    await open()
    await banner(page).waitFor()
    gates.allowConsole(/ERR_CONNECTION_REFUSED/)
    await page.route('**/safe-apply', (route) => route.abort('connectionrefused'))
    await banner(page)
      .getByText(
        /The panel cannot be reached\. The server puts everything back by itself in \d+ (secs|mins?); nothing has to be/,
      )
      .waitFor()
    assert.equal(await banner(page).getByRole('button').count(), 0)
    await page.unroute('**/safe-apply')
    await banner(page).getByRole('button', { name: 'Keep' }).waitFor()
  })

  it('that are over are shown so, with how they ended', async () => {
    const { page, gates } = await overview()
    await open()
    await change()
    await banner(page).getByRole('link', { name: 'Tunnel gre-a-1' }).waitFor()
    const { body } = await client.get<SafeApplyAnswer>('/safe-apply')
    await page.route('**/safe-apply', (route) => route.fulfill({ json: body }))
    await client.post('/safe-apply/cancel', { window_id: body.window?.window_id })
    gates.expectAnswer(409, '/safe-apply/confirm')
    await press(page, 'Keep')
    await page.getByText('These changes were put back already, by request.').first().waitFor()
    await page.unroute('**/safe-apply')
    await ended(page).getByText('They were undone on request.').waitFor()
  })

  it('are kept over another connection where the first one was older than they are', async () => {
    const { page, gates } = await overview()
    await open()
    await change()
    await banner(page).getByRole('link', { name: 'Tunnel gre-a-1' }).waitFor()
    let refusals = 0
    await page.route('**/safe-apply/confirm', (route) => {
      const error = { code: 'SAFE_APPLY_SAME_CONNECTION', message: 'This one is older.', field: '', details: {} }
      return ++refusals === 1 ? route.fulfill({ status: 409, json: { error } }) : route.continue()
    })
    // The browser may have more of them that are older than the change.
    gates.allowConsole(/409/)
    await press(page, 'Keep')
    await page.getByText('The changes are kept').first().waitFor()
    assert.ok(refusals >= 2)
    assert.equal(await mtu(), 1400)
  })

  it('fit a phone, and a page from right to left', async () => {
    await client.put('/settings', { 'display.language': 'fa' })
    await createRoute(client)
    await open()
    await change()
    await client.patch('/routes/1', { bind_port: 4443 })
    const { page } = await visit(host, { viewport: PHONE })
    await page.locator('input[name=username]').fill('operator')
    await page.locator('input[name=password]').fill(OPERATOR.password)
    await page.keyboard.press('Enter')
    const shown = page.getByRole('region', { name: /^آزمایش/ })
    await shown.getByRole('link', { name: /gre-a-1/ }).waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
    const box = await shown.boundingBox()
    assert.ok(box && box.x >= 0 && box.x + box.width <= PHONE.width)
  })
})
