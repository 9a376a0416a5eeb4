// The interfaces and the routing table of the host on the page: what the kernel has, of the panel or not (requirements
// 2, 5, 20).
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, seen, signedIn, tunnelHost } from './support/host.ts'

describe('The host on the page', () => {
  const { visit } = browsing()
  let host: Host
  eachHost(tunnelHost, (made) => ({ host } = made))

  const visitHost = async (path = 'host', look: Look = {}): Promise<Visit> =>
    goTo(
      await signedIn(await visit(host, look)),
      host,
      path,
      path.startsWith('host/routes') ? /^Routing table/ : /^Network/,
    )

  it('shows every interface with class, addresses and flags, searched over reload', async () => {
    const { page } = await visitHost()
    await page.getByRole('row', { name: /eth0/ }).waitFor()
    assert.match(
      await page.getByRole('row', { name: /eth0/ }).innerText(),
      /Physical[\s\S]*Up[\s\S]*192\.0\.2\.1\/24[\s\S]*2001:db8::1\/64[\s\S]*UP/,
    )
    await page.getByRole('button', { name: 'Tunnel', exact: true }).click()
    const names = ['Hamburg relay', 'Resting', 'gre-a-1', 'gre-a-4', 'long-name-gre-6']
    assert.deepEqual((await namesIn(page)).sort(), names)
    await page.getByRole('rowheader').getByRole('link', { name: 'Resting' }).waitFor()
    await page.reload()
    await page.getByText(/^3 of 5$/).waitFor()
    await page.getByRole('searchbox').fill('192.0.2.1/24')
    await page.getByText(/^1 of 5$/).waitFor()
    assert.deepEqual(await namesIn(page), ['eth0'])
  })

  it('shows the routing table with default routes first, and says which interfaces they leave by', async () => {
    const { page } = await visitHost()
    await page.getByRole('link', { name: 'Routing table' }).click()
    await seen(page, /^Routing table 3/)
    assert.deepEqual(await namesIn(page), ['0.0.0.0/0', '::/0', '192.0.2.0/24'])
    await page.getByText('Default routes leave through eth0').waitFor()
    assert.equal(await page.getByRole('rowheader').getByText('Default route').count(), 2)
    await page.getByRole('button', { name: 'IPv6' }).click()
    await page.getByText(/^1 of 3$/).waitFor()
  })

  it('says that nothing is reached where there is no default route', async () => {
    host.kernel.hostRoutes = host.kernel.hostRoutes.filter(({ is_default }) => !is_default)
    const { page } = await visitHost('host/routes')
    await page.getByText('This server has no default route').waitFor()
  })

  it("says that the helper is away, in the API's words, and asks again", async () => {
    const arrived = await signedIn(await visit(host))
    host.sendHelperAway()
    arrived.gates.allowConsole(/503/)
    const { page } = await goTo(arrived, host, 'host', /^Network/)
    await page.getByRole('alert').getByText('HELPER_UNAVAILABLE').waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
  })

  it('fits a phone', async () => {
    const arrived = await visitHost('host', { viewport: PHONE })
    for (const path of ['host', 'host/routes']) {
      await goTo(arrived, host, path, /./)
      await arrived.page.getByRole('row').nth(1).waitFor()
      assert.ok((await arrived.page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width, path)
    }
  })
})

/** The first line of each row's head. */
const namesIn = async (page: Page): Promise<string[]> =>
  (await page.getByRole('rowheader').locator('.value > bdi, .value > a').allInnerTexts()).map((name) => name.trim())
