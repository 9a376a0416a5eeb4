// A trial on the page: its switch, its buttons, its bar, and what becomes of what was typed (reference.md, Safe apply).
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { Client } from '../api/support/client.ts'
import { getRoute, listRoutes } from '../api/support/routes.ts'
import { browsing, type Visit } from './support/browser.ts'
import { eachHost, goTo, seen, signedIn, type Host } from './support/host.ts'
import { ledRelayHost } from './support/relays.ts'

describe('A trial', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(ledRelayHost, (made) => ({ host, client } = made))

  const open = async (path: string, heading: RegExp): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, path, heading)
  const button = (within: Page | Locator, name: string | RegExp): Locator => within.getByRole('button', { name })
  const toggle = (page: Page): Locator => page.getByRole('switch', { name: /^Trial: / })
  const bar = (page: Page): Locator => page.getByRole('region', { name: /^Trial: changes come back/ })
  const putBack = (page: Page): Locator => page.getByRole('region', { name: 'Changes were put back.' })
  const answer = async (): Promise<SafeApplyAnswer> => (await client.get<SafeApplyAnswer>('/safe-apply')).body
  const portOf = async (id: number) => (await getRoute(client, id)).body.route.bind_port

  const begin = async (page: Page): Promise<void> => {
    await toggle(page).click()
    await bar(page)
      .getByText(/begins with the first change/)
      .waitFor()
  }
  const typePort = async (page: Page, port: string): Promise<void> => {
    await page.getByRole('spinbutton', { name: 'Port', exact: true }).first().fill(port)
    await button(page, 'Review the plan').click()
  }

  it('is begun by the switch in the header, and ended by it where nothing was changed', async () => {
    const { page } = await open('routes', /^Relay rules/)
    assert.equal(await toggle(page).getAttribute('aria-checked'), 'false')
    await begin(page)
    assert.equal(await toggle(page).getAttribute('aria-checked'), 'true')
    const { window } = await answer()
    assert.deepEqual([window?.is_waiting, window?.seconds], [true, 60])
    await toggle(page).click()
    await bar(page).waitFor({ state: 'detached' })
    await page.getByText('The trial is over', { exact: true }).first().waitFor()
    assert.equal((await answer()).window, null)
    assert.equal(await toggle(page).getAttribute('aria-checked'), 'false')
    assert.equal(await page.getByText('Nothing was changed in it').count(), 0)
  })

  it('counts its time from the first change, says what it found, and keeps it on request', async () => {
    const { page, gates } = await open('routes/1/edit', /Web/)
    await begin(page)
    await host.windowClock.advance(600_000)
    await typePort(page, '8443')
    await button(page, /^Try for 1\smin$/).click()
    await seen(page, 'Web')
    await bar(page).getByRole('link', { name: 'Relay rule Web' }).waitFor()
    await bar(page)
      .getByText(/Put back automatically in/)
      .waitFor()
    await bar(page).getByText('No incident more than before.').waitFor()
    const left = (await answer()).window?.seconds_left ?? 0
    assert.ok(left > 0 && left <= 60, `${left}`)
    // The browser may have connections that are older than the change.
    gates.allowConsole(/409/)
    await button(bar(page), 'Keep').click()
    await bar(page).waitFor({ state: 'detached' })
    assert.equal(await portOf(1), 8443)
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await seen(page, /^Edit /)
    assert.equal(await page.getByText('typed before').count(), 0)
  })

  it('leads back to what was typed once that was put back', async () => {
    const { page } = await open('routes/1/edit', /Web/)
    await begin(page)
    await typePort(page, '8443')
    await button(page, /^Try for/).click()
    await bar(page).getByRole('link', { name: 'Relay rule Web' }).waitFor()
    await host.windowClock.advance(60_000)
    await putBack(page).getByText('They were not confirmed in time.').waitFor()
    assert.equal(await portOf(1), 443)
    await button(putBack(page), 'Back to what was typed').click()
    await seen(page, /^Edit /)
    const port = page.getByRole('spinbutton', { name: 'Port', exact: true }).first()
    assert.equal(await port.inputValue(), '8443')
  })

  it('that was over before a form was sent has it refused until the operator goes on without', async () => {
    const { page, gates } = await open('routes/1/edit', /Web/)
    await begin(page)
    assert.equal((await client.patch('/routes/2', { description: 'by another tab' })).status, 200)
    await bar(page)
      .getByRole('link', { name: /All high ports/ })
      .waitFor()
    await page.getByRole('spinbutton', { name: 'Port', exact: true }).first().fill('8443')
    await host.windowClock.advance(60_000)
    await putBack(page).getByText('What you change now is refused until you decide how to go on.').waitFor()
    await button(page, 'Review the plan').click()
    gates.expectAnswer(409, '/routes/1')
    await button(page, 'Save the changes').click()
    await page.getByText('The window that this change was meant for is over, so it was not made.').first().waitFor()
    assert.equal(await portOf(1), 443)
    await button(putBack(page), 'Go on without a trial').click()
    await button(page, 'Save the changes').click()
    await seen(page, 'Web')
    assert.equal(await portOf(1), 8443)
  })

  it('that ended without a change says so', async () => {
    const { page } = await open('routes', /^Relay rules/)
    await begin(page)
    await host.windowClock.advance(3_600_000)
    const end = page.getByRole('region', { name: 'The trial is over. Nothing was changed in it.' })
    await button(end, 'Begin another trial').click()
    await bar(page)
      .getByText(/begins with the first change/)
      .waitFor()
    assert.equal((await answer()).window?.is_waiting, true)
  })

  it('says how many incidents there are that were not there before', async () => {
    const { page } = await open('routes/1/edit', /Web/)
    await begin(page)
    await typePort(page, '8443')
    await button(page, /^Try for/).click()
    await bar(page).getByText('No incident more than before.').waitFor()
    host.kernel.rulesets.flush()
    await host.routeWatch.pass('event')
    await bar(page)
      .getByRole('link', { name: /^\d+ new incidents?$/ })
      .waitFor()
  })

  it('has the button of a dialog say what it does', async () => {
    const { page } = await open('routes', /^Relay rules/)
    await begin(page)
    await button(page, /Actions for .*Web/).click()
    await button(page, 'Delete').click()
    await button(page.getByRole('dialog'), /^Try for 1\smin$/).click()
    await bar(page)
      .getByText(/\(deleted\)/)
      .waitFor()
    assert.equal((await listRoutes(client)).body.total, 3)
    await button(bar(page), 'Put back now').click()
    await putBack(page).waitFor()
    assert.equal((await listRoutes(client)).body.total, 4)
  })
})
