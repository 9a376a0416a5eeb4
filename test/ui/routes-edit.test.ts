// A relay rule made and changed on the page: tested before it exists, planned in words, refused on its fields, and
// looked at.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import type { Locator } from 'playwright-core'
import { browsing, type Visit } from './support/browser.ts'
import { complaintOf, field, goTo, scrollToEnd, seen, signedIn, startHost, type Host } from './support/host.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { relayHost } from './support/relays.ts'
import type { Client } from '../api/support/client.ts'
import { getRoute, listRoutes, madeRoute } from '../api/support/routes.ts'

describe('A relay rule', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  let server: Server
  let port = 0
  beforeEach(async () => {
    host = await startHost()
    client = await relayHost(host)
    server = createServer((socket) => socket.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as { port: number }).port
  })
  afterEach(async () => {
    server.close()
    await host.close()
  })

  const visitRule = async (path: string, heading: RegExp | string): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `routes/${path}`, heading)

  it('is made with what few fields it needs: its destination tried, its plan in words first, and the text behind it', async () => {
    const { page } = await visitRule('new', 'Create a rule')
    await page.getByRole('spinbutton', { name: 'Port', exact: true }).fill('8080')
    await field(page, 'Address').fill('127.0.0.1')
    await page.getByRole('spinbutton', { name: 'Destination port' }).fill(`${port}`)
    await page.getByRole('button', { name: 'Test reachability' }).click()
    await page.getByText('Reached', { exact: true }).waitFor()
    await field(page, 'Address').fill('10.9.0.2')
    await page.keyboard.press('Enter')
    await page.getByText(/relay TCP of 0\.0\.0\.0:8080 to 10\.9\.0\.2/).waitFor()
    assert.equal((await listRoutes(client)).body.total, 4)
    assert.equal(await page.getByText('dnat').count(), 0)
    await page.getByText('Netfilter text of this rule').click()
    await page.getByText(/dnat/).first().waitFor()
    await page.getByRole('button', { name: 'Create the rule' }).click()
    await seen(page, /8080/)
    assert.deepEqual(
      (await getRoute(client, 5)).body.route.destinations.map(({ address, port: at }) => [address, at]),
      [['10.9.0.2', port]],
    )
  })

  const review = async ({ page }: Visit, address = '0.0.0.0', port = '8080'): Promise<Locator> => {
    await page.getByRole('spinbutton', { name: 'Port', exact: true }).fill(port)
    await field(page, 'Address of this server').fill(address)
    await field(page, 'Address').first().fill('10.9.0.2')
    await page.getByRole('spinbutton', { name: 'Destination port' }).fill('80')
    await page.getByRole('button', { name: 'Review the plan' }).click()
    const plan = page.getByRole('region', { name: 'What this does' })
    await plan.getByText(/relay TCP of/).waitFor()
    return plan
  }

  it('has in its plan no warning of what every rule has by default, which stands there as plain lines', async () => {
    await host.routeWatch.pass('event')
    const visited = await visitRule('new', 'Create a rule')
    const plan = await review(visited)
    await plan.getByText('0.0.0.0 is every address of this server', { exact: false }).waitFor()
    await plan.getByText('The destination sees an address of this server', { exact: false }).waitFor()
    assert.deepEqual([await plan.locator('.banner').count(), await plan.locator('[data-state]').count()], [0, 0])
    await visited.page.getByRole('button', { name: 'Create the rule' }).click()
    await seen(visited.page, /8080/)
    assert.equal(await visited.page.locator('main .banner').count(), 0)
  })

  it('has in its plan why it will relay nothing, with what takes that away, before it is made', async () => {
    host.kernel.hostRoutes = host.kernel.hostRoutes.filter(({ is_default }) => !is_default)
    await host.routeWatch.pass('event')
    const visited = await visitRule('new', 'Create a rule')
    const plan = await review(visited)
    await plan.locator('[data-state=down]').getByText('Relays nothing').waitFor()
    const causes = plan.getByRole('list', { name: 'Why' })
    await causes.getByText('This server has no route to 10.9.0.2', { exact: false }).waitFor()
    await causes.getByText('Add a route to it, or bring up the interface that leads there.').waitFor()
    assert.equal(await plan.locator('.banner').count(), 0)
  })

  it('has a warning in its plan of what is unusual, unless a cause says it', async () => {
    await host.routeWatch.pass('event')
    const visited = await visitRule('new', 'Create a rule')
    const plan = await review(visited, '203.0.113.99')
    await plan.getByText('203.0.113.99 is on no interface of this server', { exact: false }).waitFor()
    assert.equal(await plan.locator('.banner').count(), 0)
    await review(visited, '0.0.0.0', '443')
    await plan.locator('.banner').getByText('Web (1)').first().waitFor()
    assert.deepEqual([await plan.locator('.banner').count(), await plan.locator('[data-state]').count()], [1, 0])
  })

  it('proposes the tunnel that leads to its destination, until one is chosen', async () => {
    const { page } = await visitRule('new', 'Create a rule')
    const chosen = page.getByRole('combobox', { name: 'Tunnel' })
    const shows = (name: RegExp): Promise<void> =>
      chosen.locator('option:checked').filter({ hasText: name }).waitFor({ state: 'attached' })
    await shows(/^none$/)
    await field(page, 'Address').fill('172.17.2.2')
    await shows(/Frankfurt/)
    await page.getByText(/the route to the destination goes through it/).waitFor()
    await field(page, 'Address').fill('203.0.113.7')
    await shows(/^none$/)
    const third = chosen.locator('option').filter({ hasText: 'long-name-gre-6' })
    await chosen.selectOption(await third.evaluate((option) => (option as HTMLOptionElement).value))
    await field(page, 'Address').fill('172.17.1.2')
    await page.getByRole('spinbutton', { name: 'Port', exact: true }).fill('8080')
    await page.getByRole('button', { name: 'Review the plan' }).click()
    await page.getByText(/relay TCP of 0\.0\.0\.0:8080 to 172\.17\.1\.2/).waitFor()
    await page.getByRole('button', { name: 'Create the rule' }).click()
    await seen(page, /8080/)
    assert.equal((await getRoute(client, 5)).body.route.tunnel_id, 3)
  })

  it('is planned with the tunnel of its destination although that is found only after the plan was requested', async () => {
    const { page } = await visitRule('new', 'Create a rule')
    let find = (): void => undefined
    const found = new Promise<void>((resolve) => (find = resolve))
    await page.route('**/routes/path?**', async (route) => {
      await found
      await route.continue()
    })
    await page.getByRole('spinbutton', { name: 'Port', exact: true }).fill('8080')
    await field(page, 'Address').fill('172.17.2.2')
    await page.getByRole('button', { name: 'Review the plan' }).click()
    find()
    await page.getByRole('button', { name: 'Create the rule' }).click()
    await seen(page, /8080/)
    assert.equal((await getRoute(client, 5)).body.route.tunnel_id, 2)
  })

  it('is refused on its fields, of one destination among several too, and what was typed stays', async () => {
    const { page, gates } = await visitRule('new', 'Create a rule')
    gates.expectAnswer(422, '/routes/preview')
    await page.getByRole('button', { name: 'Review the plan' }).click()
    assert.match(await complaintOf(page, 'Port'), /Fill in this field/)
    gates.expectAnswer(422, '/routes/preview')
    await page.getByRole('spinbutton', { name: 'Port', exact: true }).fill('443')
    await field(page, 'Address of this server').fill('192.0.2.1')
    await field(page, 'Address').fill('10.9.0.2')
    await page.getByRole('button', { name: 'Add a destination' }).click()
    await field(page, 'Address').nth(1).fill('nonsense')
    await page.getByRole('button', { name: 'Review the plan' }).click()
    await page.locator('[name="destinations.1.address"][aria-invalid="true"]').waitFor()
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'destinations.1.address')
    gates.expectAnswer(422, '/routes/preview')
    await field(page, 'Address').nth(1).fill('10.9.0.3')
    await page.getByRole('button', { name: 'Review the plan' }).click()
    assert.match(await complaintOf(page, 'Port'), /The rule Web \(1\) listens for just the same/)
    assert.match((await page.getByRole('link', { name: 'Web (1)' }).getAttribute('href')) ?? '', /\/routes\/1$/)
    assert.equal(await field(page, 'Address').nth(1).inputValue(), '10.9.0.3')
  })

  for (const [language, port, address, weight] of [
    ['en', 'Port must be a whole number from 1 to 65535.', 'nonsense is not an IP address.', /from 1 to 1000000/],
    ['fa', 'درگاه باید عددی صحیح از ⁨1⁩ تا ⁨65535⁩ باشد.', '⁨nonsense⁩ نشانی IP نیست.', /⁨1⁩ تا ⁨1000000⁩/],
  ] as const)
    it(`shows all that is wrong with it at one press, on each field, in the form's words: ${language}`, async () => {
      const visited = await signedIn(await visit(host))
      await client.put('/settings', { 'display.language': language })
      const { page, gates } = await goTo(visited, host, 'routes/new', /./)
      gates.expectAnswer(422, '/routes/preview')
      await page.locator('[name="bind_port"]').fill('0')
      await page.locator('[name="destinations.0.address"]').fill('nonsense')
      await page.locator('[name="destinations.0.port"]').fill('80')
      await page.locator('form details > summary').last().click()
      await page.locator('[name="max_connections_per_source"]').fill('0')
      await page.locator('form button[type="submit"]').click()
      const complaint = async (name: string): Promise<string> => {
        const input = page.locator(`[name="${name}"][aria-invalid="true"]`)
        const [id = ''] = (await input.getAttribute('aria-describedby'))?.split(' ') ?? []
        return page.locator(`[id="${id}"]`).innerText()
      }
      await page.getByText(port, { exact: true }).waitFor()
      assert.equal(await complaint('bind_port'), port)
      assert.equal(await complaint('destinations.0.address'), address)
      assert.match(await complaint('max_connections_per_source'), weight)
    })

  it('is changed: nothing before the plan, its own text against the present one, and one Save', async () => {
    const { page } = await visitRule('1/edit', /Edit .*Web/)
    await field(page, 'Address').fill('10.9.0.77')
    await page.getByText('Not saved yet').waitFor()
    await page.getByRole('button', { name: 'Review the plan' }).click()
    await page.getByText('The whole plan').click()
    await page.getByText(/relay TCP of 192\.0\.2\.1:443 to 10\.9\.0\.77:8443/).waitFor()
    await page.getByText('Netfilter text of this rule').click()
    await page.locator('pre .gone').filter({ hasText: '10.9.0.2' }).first().waitFor()
    await page.locator('pre .new').filter({ hasText: '10.9.0.77' }).first().waitFor()
    assert.equal((await getRoute(client, 1)).body.route.destination_address, '10.9.0.2')
    await page.getByRole('button', { name: 'Save the changes' }).click()
    await seen(page, /^Web/)
    assert.equal((await getRoute(client, 1)).body.route.destination_address, '10.9.0.77')
  })

  it('has the changed lines of its text first, and the rest folded until a key unfolds it', async () => {
    const [first, ...others] = [1, 2, 3].map((at) => ({ address: `10.9.1.${at}`, port: 8443 }))
    const body = { bind_port: 4443, route_rule_title: 'Many', tunnel_id: 1, destinations: [first, ...others] }
    const { route_rule_id } = await madeRoute(client, {
      ...body,
      destination_address: first?.address,
      destination_port: first?.port,
    })
    const { page } = await visitRule(`${route_rule_id}/edit`, /Edit .*Many/)
    await page.getByLabel('Address', { exact: true }).nth(1).fill('10.9.1.99')
    await page.getByRole('button', { name: 'Review the plan' }).click()
    assert.match(
      await page.getByRole('region', { name: 'What changes' }).innerText(),
      /^Relays to\s+10\.9\.1\.2:8443\s*→\s*10\.9\.1\.99:8443$/,
    )
    await page.getByText('The whole plan').click()
    await page.getByText('Netfilter text of this rule').click()
    const text = page.locator('pre').filter({ has: page.locator('.new') })
    const lines = (): Promise<string[]> => text.locator('span').allInnerTexts()
    await text.getByText('10.9.1.99').waitFor()
    const [above, ...shown] = await lines()
    const count = Number(/^⋯ \D?(\d+)\D? unchanged lines/.exec(above ?? '')?.[1])
    assert.ok(count > 50)
    assert.ok(shown.length < 12)
    await page.getByRole('button', { name: 'Show all lines' }).focus()
    await page.keyboard.press('Enter')
    await text.locator('.folded').first().waitFor({ state: 'detached' })
    assert.ok((await lines()).length > count)
    assert.ok(
      await page
        .getByRole('button', { name: 'Changed lines only' })
        .evaluate((button) => button === document.activeElement),
    )
    await page.keyboard.press('Space')
    await text.locator('.folded').first().waitFor()
    assert.deepEqual(await lines(), [above, ...shown])
  })

  it('on its own page says how it is and why, what went through it, who uses it, what is wrong, and its text', async () => {
    host.kernel.hostRoutes.push(fakeRoute('10.9.0.2/32', 'gre-a-1'))
    host.kernel.connections.open = [
      {
        route_rule_id: 1,
        protocol: 'tcp',
        source_address: '203.0.113.5',
        source_port: 50_000,
        bind_address: '192.0.2.1',
        bind_port: 443,
        destination_address: '10.9.0.2',
        destination_port: 8443,
        state: 'ESTABLISHED',
        age_seconds: 90,
        timeout_seconds: 300,
        tx_bytes: null,
        tx_packets: null,
        rx_bytes: null,
        rx_packets: null,
        mark: 1,
      },
    ]
    const { page } = await visitRule('1', 'Web')
    await page.getByText('The rule in the kernel matches what is stored').first().waitFor()
    await scrollToEnd(page)
    await page.getByRole('columnheader', { name: 'Kernel, since boot' }).waitFor()
    await page.getByRole('columnheader', { name: 'Panel, in total' }).waitFor()
    await page.getByText(/never add/).waitFor()
    await page
      .getByRole('row', { name: /203\.0\.113\.5:50000/ })
      .getByText('ESTABLISHED')
      .waitFor()
    await page.getByText('Show nft text').click()
    await page.locator('pre').filter({ hasText: 'dnat' }).waitFor()
    await page.getByRole('link', { name: 'Hamburg relay', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page
      .getByText(/Web.* is disabled/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Analyze' }).click()
    await page.locator('dd, span').getByText('The rule is disabled', { exact: true }).first().waitFor()
    await page.getByText('What to do, in this order').waitFor()
    await page.getByText('Evidence').waitFor()
  })

  it('that cannot be looked at is not shown as unused', async () => {
    host.kernel.connections.unreadable = 'Operation not permitted'
    const { page } = await visitRule('1', 'Web')
    await scrollToEnd(page)
    await page.getByText('The open connections are unknown.').waitFor()
    assert.equal(await page.getByText('There are no open connections.').count(), 0)
  })
})
