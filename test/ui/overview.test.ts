// The overview: what needs the operator comes first, with what it takes down and the button that mends it.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { CertificateWatcher } from '@panel/web-daemon/platform/tls/certificate-watcher.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { Certificates, filesIn } from '../api/support/certificates.ts'
import type { Client } from '../api/support/client.ts'
import { madeRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { signedIn, startHost, type Host } from './support/host.ts'
import { relayHost } from './support/relays.ts'

describe('The overview', () => {
  const { visit } = browsing()
  let host: Host
  beforeEach(async () => {
    host = await startHost()
    const client = await relayHost(host)
    // It is shadowed, which is an incident of its own.
    await client.delete('/routes/3')
    await look()
  })
  afterEach(() => host.close())

  const look = async (): Promise<void> => {
    await host.watch.pass('event')
    await host.routeWatch.pass('event')
  }
  const start = async (): Promise<void> => {
    await host.monitor.start()
    await host.metrics.start()
  }
  const attention = (page: Visit['page']) => page.getByRole('region', { name: 'Needs attention' })

  it('names a tunnel that is missing, since when, the rules that it takes down, and mends it', async () => {
    host.kernel.held.delete('gre-a-1')
    await look()
    const { page } = await signedIn(await visit(host))
    const incident = attention(page).getByRole('listitem').filter({ hasText: 'Hamburg relay' })
    await incident.getByText('The interface gre-a-1 is missing on this server').waitFor()
    await incident.getByRole('link', { name: 'Web' }).waitFor()
    await incident.locator('time').waitFor()
    await incident.getByRole('button', { name: 'Reapply' }).click()
    await page
      .getByText(/^Hamburg relay.* is in sync again/)
      .first()
      .waitFor()
    await look()
    await incident.waitFor({ state: 'detached' })
    assert.ok(host.kernel.held.has('gre-a-1'))
  })

  it('names a rule that the kernel does not hold, how many connections that affects, and mends it', async () => {
    for (const source_port of [40_001, 40_002])
      host.kernel.connections.open.push(fakeConnection({ route_rule_id: 2, source_port }))
    await host.traffic.count()
    host.kernel.rulesets.flush()
    await look()
    const { page } = await signedIn(await visit(host))
    const incident = attention(page).getByRole('listitem').filter({ hasText: 'All high ports' })
    await incident.getByText(/The kernel does not hold the rule/).waitFor()
    await incident.getByText(/^Affects:\s*2 connections$/).waitFor()
    await incident.getByRole('button', { name: 'Reapply' }).click()
    while (host.kernel.rulesets.rules.size === 0) await page.waitForTimeout(20)
    await look()
    await incident.waitFor({ state: 'detached' })
  })

  it('reads from right to left in Persian, although the sentence begins with a name', async () => {
    const link = host.kernel.held.get('long-name-gre-6')
    assert.ok(link?.state)
    link.state = { ...link.state, config: { ...link.state.config, mtu: 1400 } }
    await look()
    const { page } = await signedIn(await visit(host))
    await (await host.signIn()).put('/settings', { 'display.language': 'fa' })
    await page.reload()
    const sentence = page.locator('span').filter({ hasText: /^.?long-name-gre-6.? با پیکربندی/ })
    assert.equal(await sentence.evaluate((element) => getComputedStyle(element).direction), 'rtl')
  })

  it('answers on a phone without scrolling: what is down, what changed, what drifts, how loaded the host is', async () => {
    await start()
    const { page } = await signedIn(await visit(host, { viewport: PHONE }))
    await page.getByText('CPU', { exact: true }).waitFor()
    const bar = await page.locator('nav.bottom').boundingBox()
    for (const title of ['Needs attention', 'Tunnels', 'Recent changes', 'Drift', 'Server'])
      assert.ok(((await page.getByRole('heading', { name: title }).boundingBox())?.y ?? Infinity) < bar!.y - 40, title)
  })

  for (const [tile, count, address] of [
    ['Tunnels', /^Down/, '/tunnels?q=state%3Adown'],
    ['Drift', /^Missing/, '/reconcile?q=state%3Amissing'],
    ['Server', null, '/metrics'],
  ] as const)
    it(`leads from the tile ${tile} to the list of what it counts`, async () => {
      await start()
      const { page } = await signedIn(await visit(host))
      const heading = page.getByRole('heading', { name: tile, exact: true })
      const inTile = page.locator('.tile').filter({ has: heading })
      await (count ? inTile.getByRole('link', { name: count }) : heading.getByRole('link')).click()
      await page.waitForURL((url) => url.href.endsWith(address))
      await page.getByRole('heading', { level: 1 }).waitFor()
    })

  it('names a tunnel wherever it stands by its display name first, then by its interface as code', async () => {
    await start()
    const { page } = await signedIn(await visit(host))
    const tile = page.locator('.tile').filter({ has: page.getByRole('heading', { name: 'Recent changes' }) })
    for (const place of [attention(page), tile]) {
      const name = place.locator(':is(a, button):has(bdi)').filter({ hasText: 'gre-a-2' })
      assert.equal(await name.locator('bdi').first().innerText(), 'Frankfurt')
      assert.equal(await name.locator('bdi.mono').innerText(), 'gre-a-2')
    }
  })

  it('has the list first on a phone', async () => {
    const { page } = await signedIn(await visit(host, { viewport: PHONE }))
    const [list, tile] = await Promise.all([
      attention(page).boundingBox(),
      page.getByRole('heading', { name: 'Recent changes' }).boundingBox(),
    ])
    assert.ok(list && tile && list.y < tile.y)
  })
})

describe('The overview of another host', () => {
  const { visit } = browsing()
  const certificates = new Certificates()
  let host: Host
  afterEach(() => host.close())
  after(() => certificates.remove())

  const CALM = 'Everything works'
  const header = (page: Page, name: RegExp) => page.getByRole('banner').getByRole('button', { name }).waitFor()
  /** One tunnel up or unmeasured, one disabled, and a rule. */
  const small = async (): Promise<Client> => {
    host = await startHost()
    host.kernel.icmp.answer = () => ({ after_ms: 1 })
    const client = await host.setUp()
    await client.put('/settings', { 'monitor.interval_seconds': 0.1, 'monitor.window_size': 10 })
    await createTunnel(client, { display_name: 'Hamburg' })
    await createTunnel(client, { remote_endpoint: '203.0.113.9', is_enabled: false })
    await madeRoute(client, { bind_port: 443 })
    return client
  }
  const look = async (): Promise<void> => {
    await host.watch.pass('event')
    await host.routeWatch.pass('event')
  }

  /** A reading of the counters and a count of the connections, with what the rule relays meanwhile. */
  const carry = async (rx_packets: number): Promise<void> => {
    await host.traffic.sample()
    host.kernel.rulesets.relay(1, { tx_packets: 3, tx_bytes: 300, rx_packets, rx_bytes: rx_packets * 100 })
    if (rx_packets > 0) host.kernel.connections.open.push(fakeConnection({ route_rule_id: 1 }))
    await host.traffic.count()
    await host.traffic.sample()
    await look()
  }

  it('says that everything works only once every enabled tunnel and rule is known to', async () => {
    await small()
    const { page } = await signedIn(await visit(host))
    await page.getByText('1 tunnel not measured yet').waitFor()
    await page.getByText('1 relay rule not checked yet').waitFor()
    assert.equal(await page.getByText(CALM).count(), 0)
    await look()
    await page.getByText('1 relay rule not checked yet').waitFor({ state: 'detached' })
    assert.equal(await page.getByText(CALM).count(), 0)
    await host.monitor.start()
    await page.getByText('1 relay not proven yet').waitFor()
    assert.equal(await page.getByText(CALM).count(), 0)
    await carry(3)
    await page.getByText(CALM).waitFor()
    await page.getByText('1 relay carries traffic').waitFor()
    assert.equal(await page.getByText('not measured yet').count(), 0)
    await host.traffic.sample()
    await look()
    await page.getByText(/^1 relay proven/).waitFor()
    await header(page, /State of the panel: Ready/)
  })

  it('has the count of incidents in the header, and beside them what is not measured', async () => {
    const client = await small()
    await createTunnel(client, { remote_endpoint: '203.0.113.10' })
    host.kernel.held.delete('gre-a-1')
    await look()
    const { page } = await signedIn(await visit(host))
    await header(page, /State of the panel: 1 incident/)
    const section = page.getByRole('region', { name: 'Needs attention' })
    await section.getByText('2 tunnels not measured yet').waitFor()
    assert.equal(await page.getByRole('banner').getByText('Ready').count(), 0)
    assert.equal(await page.locator('header .badge').first().getAttribute('data-state'), 'down')
    await page
      .getByRole('banner')
      .getByRole('button', { name: /incident/ })
      .click()
    await page.getByRole('link', { name: '1 incident' }).waitFor()
  })

  it('counts no tunnel as working that is not watched', async () => {
    const client = await small()
    await client.put('/settings', { 'monitor.enabled': false })
    await host.monitor.start()
    await look()
    const { page } = await signedIn(await visit(host))
    await page.getByText('1 tunnel not monitored').waitFor()
    assert.equal(await page.getByText(CALM).count(), 0)
  })

  it('of a host with nothing to watch says nothing of the kind', async () => {
    host = await startHost()
    await host.setUp()
    await host.monitor.start()
    await look()
    const { page } = await signedIn(await visit(host))
    await page.getByText('Connect the other server').waitFor()
    await header(page, /State of the panel: Ready/)
    assert.equal(await page.getByText(CALM).count(), 0)
  })

  it('offers an empty host a tunnel and a pairing code, once the first steps are hidden', async () => {
    host = await startHost()
    await (await host.setUp()).put('/settings', { 'display.first_hour': false })
    const { page } = await signedIn(await visit(host))
    await page.getByText('No tunnel yet').waitFor()
    await page.getByRole('link', { name: 'Paste a pairing code' }).waitFor()
    await page.getByRole('link', { name: 'Create a tunnel' }).click()
    await page.getByRole('heading', { level: 1, name: 'Create a tunnel' }).waitFor()
  })

  it('names the certificate that has expired and the helper that is away, each once, in the operator’s language', async () => {
    const DAY_MS = 24 * 3600 * 1000
    host = await startHost({
      certificate: new CertificateWatcher({
        files: filesIn(certificates.make('old', new Date(Date.now() - 826 * DAY_MS))),
        logger: makeLogger({ write: () => undefined }),
      }),
    })
    const client = await host.setUp()
    const { page } = await signedIn(await visit(host, { allowConsole: /status of 503/ }))
    await client.put('/settings', { 'display.language': 'ru' })
    host.sendHelperAway()
    await page.reload()
    const rows = page.getByRole('region', { name: 'Требует внимания' }).getByRole('listitem')
    await rows
      .filter({ hasText: 'Root-помощник' })
      .getByText(/Root-помощник недоступен/)
      .waitFor()
    const certificate = rows.filter({ hasText: 'Сертификат недействителен' })
    await certificate.getByText(/Срок действия сертификата истёк/).waitFor()
    assert.doesNotMatch(await certificate.innerText(), /\d{4}-\d\d-\d\dT/)
    assert.equal(await rows.filter({ hasText: /Шифрование|Root-помощник/ }).count(), 1)
    await certificate.getByRole('link', { name: 'Диагностика' }).click()
    await page.getByRole('heading', { name: 'Состояние панели' }).waitFor()
  })
})
