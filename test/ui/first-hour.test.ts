// The first hour on the overview: steps that tick themselves, from what the server can do to a relay that is proven.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { madeRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { hands } from './support/counting.ts'
import { field, giveWebhook, goTo, seen, signedIn, startHost, type Host } from './support/host.ts'

describe('The first hour', () => {
  const { visit } = browsing()
  let host: Host
  let other: Host | null
  let client: Client
  beforeEach(async () => {
    other = null
    host = await startHost()
    host.kernel.icmp.answer = () => null
    client = await host.setUp()
    await quick(client)
    await host.watch.pass('event')
  })
  afterEach(() => Promise.all([host.close(), other?.close()]))

  const quick = (of: Client) => of.put('/settings', { 'monitor.interval_seconds': 0.1, 'monitor.window_size': 10 })
  const card = (page: Page): Locator => page.getByRole('region', { name: 'First steps' })
  const step = (page: Page, name: string): Locator => card(page).locator(`[data-step=${name}]`)
  const done = (page: Page, name: string): Promise<void> =>
    card(page).locator(`[data-step=${name}][data-done=true]`).waitFor()

  /** The server that has the address which the first one's tunnel leads to. */
  const startOther = async (): Promise<Host> => {
    other = await startHost()
    await quick(await other.setUp())
    other.kernel.hostInterfaces = other.kernel.hostInterfaces.map((one) =>
      one.name === 'eth0' ? { ...one, addresses: ['198.51.100.7/24'] } : one,
    )
    return other
  }

  /** A client of the first rule sends something, and is answered. */
  const relay = async (): Promise<void> => {
    await host.traffic.sample()
    host.kernel.rulesets.relay(1, { tx_packets: 3, tx_bytes: 300, rx_packets: 3, rx_bytes: 300 })
    host.kernel.connections.open.push(fakeConnection({ route_rule_id: 1 }))
    await host.traffic.count()
    await host.traffic.sample()
    await host.watch.pass('event')
    await host.routeWatch.pass('event')
  }

  it('takes six clicks and one field to a pair of tunnels whose ends answer, beside a pasted code', async () => {
    const { count, click, type } = hands()
    const { page: onA, context } = await signedIn(await visit(host))
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await done(onA, 'host')
    await click(step(onA, 'tunnel').getByRole('link', { name: 'Create a tunnel' }))
    await type(field(onA, "The other server's address"), '198.51.100.7')
    await click(onA.getByRole('button', { name: 'Show the plan' }))
    await click(onA.getByRole('button', { name: 'Create the tunnel' }))
    await host.monitor.start()
    await onA.getByText('The other side has not answered yet').waitFor()
    await click(onA.getByRole('button', { name: 'Copy the code' }))
    const copied = await onA.evaluate(() => navigator.clipboard.readText())

    const b = await startOther()
    const { page: onB } = await signedIn(await visit(b))
    await click(step(onB, 'tunnel').getByRole('link', { name: 'Paste a pairing code' }))
    await field(onB, 'Pairing code').focus()
    await onB.evaluate((text) => document.execCommand('insertText', false, text), copied)
    if (await onB.getByRole('button', { name: 'Read the code' }).isVisible())
      await onB.locator('form').evaluate((form: HTMLFormElement) => form.requestSubmit())
    await click(onB.getByRole('button', { name: 'Create the tunnel' }))
    await seen(onB, 'gre-b-1')

    host.kernel.icmp.answer = () => ({ after_ms: 1 })
    b.kernel.icmp.answer = () => ({ after_ms: 1 })
    await b.monitor.start()
    await onA.getByText('The other side answers').waitFor()
    await goTo({ page: onB } as Visit, b, '', 'Overview')
    await done(onB, 'tunnel')
    await step(onB, 'tunnel').getByText('The other side answers').waitFor()
    assert.deepEqual(count, { clicks: 6, fields: 1, files: 0 })
  })

  it('takes three clicks and two fields from a tunnel to a port that is proven from outside', async () => {
    await createTunnel(client)
    host.kernel.hostRoutes.push(fakeRoute('10.9.0.0/24', 'gre-a-1'))
    host.kernel.icmp.answer = () => ({ after_ms: 1 })
    await host.monitor.start()
    const visited = await signedIn(await visit(host))
    const { page } = visited
    await done(page, 'tunnel')
    const { count, click, type } = hands()
    await click(step(page, 'rule').getByRole('link', { name: 'Forward a port' }))
    await type(page.getByLabel('Port', { exact: true }).first(), '443')
    await type(page.getByLabel('Address', { exact: true }).last(), '10.9.0.2')
    await click(page.getByRole('button', { name: 'Review the plan' }))
    await click(page.getByRole('button', { name: 'Create the rule' }))
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '443' }).waitFor()
    assert.equal((await client.get<{ route: { tunnel_id: number } }>('/routes/1')).body.route.tunnel_id, 1)
    await goTo(visited, host, '', 'Overview')
    await done(page, 'rule')
    await step(page, 'proof').getByText('Nothing has come through port 443 and back yet').waitFor()
    await step(page, 'proof')
      .getByText(/^nc -vz \S+ 443$/)
      .waitFor()
    await relay()
    await step(page, 'proof').getByText('Port 443 was reached from outside and answered').waitFor()
    await step(page, 'proof').locator('time').waitFor()
    assert.deepEqual(count, { clicks: 3, fields: 2, files: 0 })
  })

  it('says what to do about a server without GRE before what the kernel reports, and goes on with rules', async () => {
    host.kernel.supportsGre = false
    const { page } = await signedIn(await visit(host))
    const text = await step(page, 'host').innerText()
    const order = ['The GRE driver is not loaded', 'sudo modprobe ip_gre', 'standard kernel', 'container', 'reports:']
    const places = order.map((words) => text.indexOf(words))
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    )
    assert.ok(places.every((at) => at >= 0) && text.indexOf('Unknown device type') > text.indexOf('reports:'), text)
    assert.equal(await step(page, 'tunnel').count(), 0)
    await step(page, 'rule').getByRole('link', { name: 'Forward a port' }).click()
    await seen(page, 'Create a rule')
  })

  it('has the line for a shell of the other server, on a phone too', async () => {
    await createTunnel(client)
    const { pairing_code } = (await client.get<{ pairing_code: string }>('/tunnels/1/pairing-code')).body
    await host.monitor.start()
    const { page } = await signedIn(await visit(host, { viewport: PHONE }))
    await step(page, 'tunnel').getByText('The other side has not answered yet').waitFor()
    const line = await step(page, 'tunnel').locator('[data-shell-line]').innerText()
    assert.equal(line.replaceAll(/\s+/g, ' ').trim(), `sudo tunnel-panel pair ${pairing_code}`)
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })

  it('stands below an incident, and goes for good when it is hidden, unless that is undone', async () => {
    await createTunnel(client)
    host.kernel.held.delete('gre-a-1')
    await host.watch.pass('event')
    const { page } = await signedIn(await visit(host))
    const incidents = page.getByRole('region', { name: 'Needs attention' })
    await incidents.waitFor()
    await card(page).waitFor()
    const [above, below] = await Promise.all([incidents.boundingBox(), card(page).boundingBox()])
    assert.ok(above && below && above.y + above.height <= below.y)
    await card(page).getByRole('button', { name: 'Hide the first steps' }).click()
    await card(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await card(page).waitFor()
    await card(page).getByRole('button', { name: 'Hide the first steps' }).click()
    await page.getByText('The first steps are hidden').waitFor()
    await page.reload()
    await incidents.waitFor()
    assert.equal(await card(page).count(), 0)
    const { settings } = (await client.get<{ settings: Record<string, unknown> }>('/settings')).body
    assert.equal(settings['display.first_hour'], false)
  })

  it('goes by itself once everything is done', async () => {
    await createTunnel(client)
    await madeRoute(client, { bind_port: 443, destination_address: '10.9.0.2' })
    await giveWebhook(client)
    host.kernel.icmp.answer = () => ({ after_ms: 1 })
    await host.monitor.start()
    await relay()
    const visited = await signedIn(await visit(host))
    const { page } = visited
    for (const name of ['host', 'tunnel', 'rule', 'proof', 'notify']) await done(page, name)
    await step(page, 'backup').getByRole('link', { name: 'Save a backup' }).click()
    await page.getByRole('button', { name: 'Download' }).click()
    await page.getByText('The backup is ready').first().waitFor()
    await page.route('**/auth/me/totp', (route) =>
      route.fulfill({
        json: { is_on: true, confirmed_date: null, last_used_date: null, recovery_codes_left: 10 },
      }),
    )
    await goTo(visited, host, '', 'Overview')
    const isShown = async (): Promise<unknown> =>
      (await client.get<{ settings: Record<string, unknown> }>('/settings')).body.settings['display.first_hour']
    while ((await isShown()) === true) await page.waitForTimeout(20)
    assert.equal(await card(page).count(), 0)
  })
})
