// The path of packets as a picture: on the page of a rule, of a tunnel, and after an analysis.
import assert from 'node:assert/strict'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, scrollToEnd, signedIn } from './support/host.ts'
import { relayHost } from './support/relays.ts'
import type { Client } from '../api/support/client.ts'
import { madeRoute, patchRoute } from '../api/support/routes.ts'
import { fakeRoute } from '../support/fake-routes.ts'

describe('The path of packets', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(relayHost, (made) => ({ host, client } = made))

  const picture = (page: Visit['page'], name = 'Path of the packets') => page.getByRole('group', { name })
  const hops = (page: Visit['page'], name?: string): Promise<string[]> =>
    picture(page, name)
      .locator('.hop')
      .evaluateAll((all) => all.map((hop) => hop.querySelector('title')?.textContent ?? ''))

  const legStates = (page: Visit['page']): Promise<(string | undefined)[]> =>
    picture(page)
      .locator('.edge')
      .evaluateAll((all) => all.map((edge) => edge.classList[1]))

  it('is drawn on the page of a rule, each hop by its state, and read as text', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1', 'Web')
    await picture(page).waitFor()
    assert.deepEqual(
      (await hops(page)).map((text) => text.split(' · ')[0]),
      ['Clients', '192.0.2.1:443', 'Server', 'Hamburg relay', '172.17.1.2', '10.9.0.2:8443'],
    )
    await page.getByText('As text').click()
    assert.match(await page.getByRole('listitem').filter({ hasText: 'Tunnel:' }).innerText(), /gre-a-1.*Interface up/s)
    await picture(page)
      .getByRole('link', { name: /^Hamburg relay/ })
      .click()
    await page.getByRole('heading', { name: /gre-a-1/, level: 1 }).waitFor()
  })

  it('parts behind this server for each path of the network that the destination lies in', async () => {
    const paths = [1, 2].map((tunnel_id) => ({ tunnel_id, preference: 10 * tunnel_id }))
    const { status, text } = await client.post('/networks', { destination: '10.9.0.0/24', paths })
    assert.equal(status, 201, text)
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1', 'Web')
    await picture(page).waitFor()
    const drawn = (await hops(page)).map((one) => one.split(' · '))
    assert.equal(drawn.filter(([label]) => label === '10.9.0.2:8443').length, 1)
    const tunnels = (await client.get<{ tunnels: { interface_name: string }[] }>('/tunnels')).body.tunnels
    const standby = picture(page).getByRole('link').filter({ hasText: 'On standby' })
    assert.equal(await standby.count(), 1)
    await page.getByText('As text').click()
    await page
      .getByRole('listitem')
      .filter({ hasText: tunnels[1]?.interface_name ?? '' })
      .first()
      .waitFor()
    await standby.click()
    await page.getByRole('heading', { name: new RegExp(`${tunnels[1]?.interface_name}`), level: 1 }).waitFor()
  })

  it('draws the way to a destination that nothing has checked as unknown: by a ring, dashes and words', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1', 'Web')
    await picture(page).waitFor()
    const destination = picture(page).locator('.hop.unknown').filter({ hasText: '10.9.0.2:8443' })
    assert.equal(await destination.locator('text.detail').textContent(), 'Not checked')
    assert.equal((await hops(page)).at(-1), '10.9.0.2:8443 · Not checked')
    const legs = await legStates(page)
    assert.deepEqual(legs, ['up', 'up', 'up', 'unknown', 'unknown'])
    const dashes = await picture(page)
      .locator('.edge .line')
      .evaluateAll((all) => all.map((line) => getComputedStyle(line).strokeDasharray))
    assert.deepEqual(
      dashes.map((dash) => dash !== 'none'),
      [false, false, false, true, true],
    )
  })

  it('says how masquerade is carried out, on the line that leaves this server, as text and among the facts', async () => {
    host.kernel.hostRoutes.push(fakeRoute('10.9.0.0/24', 'gre-a-1'))
    await host.kernel.rulesets.followSources([{ interface_name: 'gre-a-1', address: '172.17.1.1' }])
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1', 'Web')
    const output = 'Masquerade, carried out as SNAT to 172.17.1.1'
    await page.locator('dd').filter({ hasText: output }).waitFor()
    await picture(page).locator('.on-edge').filter({ hasText: 'SNAT' }).waitFor()
    assert.equal(await picture(page).locator('.edge title').filter({ hasText: output }).count(), 1)
    await page.getByText('As text').click()
    await page.getByRole('listitem').filter({ hasText: 'Tunnel:' }).filter({ hasText: output }).waitFor()
    host.kernel.hostRoutes.pop()
    await page.reload()
    await page
      .locator('dd')
      .filter({ hasText: /^Masquerade$/ })
      .waitFor()
    assert.equal(await picture(page).locator('.on-edge').filter({ hasText: 'SNAT' }).count(), 0)
  })

  it('says it of each destination where it is not alike for all', async () => {
    host.kernel.hostRoutes.push(fakeRoute('10.9.0.0/24', 'gre-a-1'))
    await host.kernel.rulesets.followSources([{ interface_name: 'gre-a-1', address: '172.17.1.1' }])
    const destinations = ['10.9.0.2', '10.8.0.2'].map((address) => ({ address, port: 80 }))
    await patchRoute(client, 1, { load_balance_mode_id: 20, destinations })
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1', 'Web')
    for (const text of ['10.9.0.2:80 Masquerade, carried out as SNAT to 172.17.1.1', '10.8.0.2:80 Masquerade'])
      await page.locator('dd div').getByText(text, { exact: true }).waitFor()
  })

  it('is unknown if it cannot be looked at, and nothing of it is shown as down or well', async () => {
    host.sendHelperAway()
    const visited = await signedIn(await visit(host, { allowConsole: /status of 503/ }))
    const { page } = await goTo(visited, host, 'routes/1', 'Web')
    await picture(page).waitFor()
    for (const hop of ['Server', 'gre-a-1'])
      assert.equal(await picture(page).locator('.hop.unknown').filter({ hasText: hop }).count(), 1, hop)
    const onHost = page.locator('section').filter({ has: page.getByRole('heading', { name: 'On the server' }) })
    await onHost.locator('dd').filter({ hasText: 'gre-a-1' }).locator('[data-state=unknown]').waitFor()
  })

  it('is broken where it is: at a tunnel that is down, behind which nothing flows', async () => {
    await client.post('/tunnels/1/down')
    await host.monitor.settled()
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1', 'Web')
    await picture(page).locator('.hop.down').waitFor()
    assert.deepEqual(await picture(page).locator('.hop.down title').allTextContents(), [
      'Hamburg relay · gre-a-1 · Interface down',
    ])
    assert.deepEqual(await legStates(page), ['up', 'up', 'down', 'unknown', 'unknown'])
  })

  it('shows where an analysis found that packets stop', async () => {
    host.kernel.rulesets.flush()
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1', 'Web')
    await scrollToEnd(page)
    await page.getByRole('button', { name: 'Analyze' }).click()
    await picture(page)
      .getByRole('link', { name: /192\.0\.2\.1:443.*Relays nothing/ })
      .waitFor()
  })

  it('of all that relays over a tunnel is on its page', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'tunnels/1', /gre-a-1/)
    const name = 'Relay rules over this tunnel'
    await picture(page, name)
      .getByRole('link', { name: /^192\.0\.2\.1:443/ })
      .waitFor()
    assert.equal((await hops(page, name)).length, 6)
  })

  it('of every rule in force is on the overview: the tunnels with the sums of their rules, opened by a click', async () => {
    for (let port = 7000; port < 7012; port += 1)
      await madeRoute(client, { bind_port: port, destination_address: '172.17.1.2', destination_port: port })
    const { page } = await signedIn(await visit(host))
    const map = page.getByRole('region', { name: 'All relay rules' })
    await map.getByRole('button').first().waitFor()
    assert.match(await map.getByRole('button').first().innerText(), /^Without a tunnel\s+2 rules\s+1 Relays nothing/)
    await map.getByRole('button', { name: /^Hamburg relay\s+gre-a-1/ }).click()
    const opened = map.getByRole('list', { name: 'Hamburg relay · gre-a-1' })
    await opened.getByRole('listitem').nth(11).waitFor()
    assert.equal(await opened.getByRole('listitem').count(), 12)
    await map.getByText('12 of 13 rules are drawn', { exact: false }).waitFor()
    await map.getByRole('link', { name: 'Relay rules' }).click()
    await page.getByRole('heading', { name: /^Relay rules/, level: 1 }).waitFor()
    assert.match(page.url(), /routes\?q=tunnel:gre-a-1$/)
  })

  /** The upper left corners of the hops, in the order of the path. */
  const corners = (page: Visit['page'], label: string): Promise<(readonly [number, number])[]> =>
    picture(page, label)
      .locator('.hop rect')
      .evaluateAll((all) =>
        all
          .map((hop) => hop.getBoundingClientRect())
          .map(({ x, y, width }) => [Math.round(x + width / 2), Math.round(y)] as const),
      )

  it('runs from top to bottom on a phone', async () => {
    const { page } = await goTo(await signedIn(await visit(host, { viewport: PHONE })), host, 'routes/1', 'Web')
    await picture(page).waitFor()
    const places = await corners(page, 'Path of the packets')
    assert.equal(new Set(places.map(([x]) => x)).size, 1)
    assert.deepEqual(
      places,
      places.toSorted(([, one], [, other]) => one - other),
    )
  })

  it('of many rules fits a phone: those alike as one, and one that is broken by itself, in view', async () => {
    for (let port = 7000; port < 7011; port += 1)
      await madeRoute(client, { bind_port: port, destination_address: '172.17.1.2', destination_port: port })
    host.kernel.rulesets.edit(12, { nat_mode: 'none' })
    const name = 'Relay rules over this tunnel'
    const visited = await signedIn(await visit(host, { viewport: PHONE }))
    const { page } = await goTo(visited, host, 'tunnels/1', /gre-a-1/)
    await picture(page, name)
      .getByRole('link', { name: /^11 rules · In force/ })
      .waitFor()
    const broken = picture(page, name).locator('.hop.down')
    assert.match((await broken.first().locator('title').textContent()) ?? '', /7007/)
    const box = await broken.first().boundingBox()
    assert.ok(box && box.x >= 0 && box.x + box.width <= PHONE.width)
    const scrolls = await page.evaluate(
      () =>
        [document.documentElement, ...document.querySelectorAll('figure .frame')].filter(
          ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
        ).length,
    )
    assert.equal(scrolls, 0)
  })

  it('runs from right to left in Persian', async () => {
    const visited = await signedIn(await visit(host))
    await client.put('/settings', { 'display.language': 'fa' })
    const { page } = await goTo(visited, host, 'routes/1', 'Web')
    await picture(page, 'مسیر بسته‌ها').waitFor()
    const places = await corners(page, 'مسیر بسته‌ها')
    assert.equal(new Set(places.map(([, y]) => y)).size, 1)
    assert.deepEqual(
      places,
      places.toSorted(([one], [other]) => other - one),
    )
  })
})
