// Beside a sentence of the API stand links to what it names, and the button that mends it.
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { browsing, type Visit } from './support/browser.ts'
import { eachHost, goTo, seen, signedIn, type Host } from './support/host.ts'
import { relayHost } from './support/relays.ts'

describe('A sentence on the page', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(relayHost, (made) => ({ host, client } = made))

  const visitPage = async (path: string, heading: RegExp | string, allowConsole?: RegExp): Promise<Visit> =>
    goTo(await signedIn(await visit(host, allowConsole ? { allowConsole } : {})), host, path, heading)

  const visitBrokenRule = async (allowConsole?: RegExp): Promise<Visit> => {
    await client.post('/tunnels/1/down')
    return visitPage('routes/1', 'Web', allowConsole)
  }
  const reason = (page: Visit['page']) =>
    page.locator('dd .small').filter({ hasText: 'that the rule relays over is down' })

  it('leads to the tunnel that it names', async () => {
    const { page } = await visitBrokenRule()
    await reason(page).getByRole('link', { name: 'gre-a-1' }).first().click()
    await seen(page, /gre-a-1/)
  })

  it('has the button that brings that tunnel up', async () => {
    const { page } = await visitBrokenRule()
    await reason(page).getByRole('button', { name: 'Enable the tunnel' }).click()
    await page.getByText('Tunnel enabled').first().waitFor()
    await reason(page).waitFor({ state: 'detached' })
    assert.equal(host.kernel.held.get('gre-a-1')?.state?.is_up, true)
  })

  it('says that its button failed by words for that', async () => {
    const { page } = await visitBrokenRule(/503/)
    const button = reason(page).getByRole('button', { name: 'Enable the tunnel' })
    await button.waitFor()
    host.sendHelperAway()
    await button.click()
    await page.getByRole('alert').getByText('The tunnel could not be enabled').waitFor()
  })

  it('leads to the setting that it rests on', async () => {
    await client.put('/settings', { 'monitor.enabled': false })
    await host.monitor.start()
    const { page } = await visitPage('tunnels/1', /gre-a-1/)
    await page.getByRole('link', { name: 'Open the setting' }).click()
    await seen(page, 'Settings')
    await page.getByRole('switch', { name: /Monitor tunnels/ }).waitFor()
  })

  it('leads there from a field, too', async () => {
    await client.put('/settings', { 'diagnostics.manual_ping_max_count': 200 })
    const { page, gates } = await visitPage('tunnels/1/diagnostics', /gre-a-1/)
    gates.expectAnswer(422, '/tunnels/1/diagnostics/ping')
    await page.getByRole('spinbutton', { name: 'Packets' }).fill('500')
    await page.getByRole('button', { name: 'Start', exact: true }).first().click()
    const wrong = page.locator('.field').filter({ hasText: 'Packets must be at most' })
    await wrong.getByRole('link', { name: 'Open the setting' }).click()
    await seen(page, 'Settings')
  })

  it('stops the other run for which a second one was refused', async () => {
    host.kernel.icmp.answer = () => ({})
    const other = client.post('/tunnels/1/diagnostics/ping', { count: 1000, interval_seconds: 0.2 })
    const { page } = await visitPage('tunnels/1/diagnostics', /gre-a-1/, /429/)
    await page.getByRole('button', { name: 'Analyze' }).click()
    await page.getByRole('alert').getByRole('button', { name: 'Stop the other run' }).click()
    await page.getByText('The other run is stopped').first().waitFor()
    await other
  })

  it('has the words of the language for what drifts, a verdict and its evidence', async () => {
    const link = host.kernel.held.get('gre-a-1')
    assert.ok(link?.state)
    link.state = { ...link.state, config: { ...link.state.config, mtu: 1400, is_ignore_df: true } }
    const { page } = await visitPage('reconcile', 'Drift')
    const row = page.getByRole('row', { name: /Ignore Don’t Fragment/ })
    await row.getByRole('cell', { name: /^no$/i }).waitFor()
    await row.getByRole('cell', { name: /^yes$/i }).waitFor()
    await goTo({ page } as Visit, host, 'tunnels/1/diagnostics', /gre-a-1/)
    await page.getByRole('button', { name: 'Analyze' }).click()
    await page.getByText('Other server', { exact: true }).waitFor()
    assert.doesNotMatch(await page.locator('main').innerText(), /[A-Z]+_[A-Z]+|tunnel_ping|is_ignore_df/)
  })

  it('is linked in the operator’s language too', async () => {
    await client.post('/tunnels/1/down')
    const { page } = await signedIn(await visit(host))
    await client.put('/settings', { 'display.language': 'fa' })
    await page.goto(`${host.base}routes/1`)
    const reason = page.locator('dd .small').filter({ has: page.getByRole('button', { name: 'فعال کردن تونل' }) })
    await reason.getByRole('link', { name: 'gre-a-1' }).first().waitFor()
  })
})
