// The far end of a tunnel by its name, on the page: in the wizard, in the form, in the list and on the tunnel's own page.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { set } from '../api/support/settings.ts'
import { createTunnel, getTunnel } from '../api/support/tunnels.ts'
import { startDnsServer, type DnsServer } from '../support/dns-server.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { complaintOf, field, goTo, seen, signedIn, startHost, type Host } from './support/host.ts'

const NAME = 'far.test'
const [ONE, TWO] = ['198.51.100.7', '198.51.100.8'] as const
const REMOTE = "The other server's address"

describe('The other server by its name, on the page', () => {
  const { visit } = browsing()
  let dns: DnsServer
  let host: Host
  let client: Client
  before(async () => (dns = await startDnsServer()))
  after(() => dns.stop())
  beforeEach(async () => {
    host = await startHost()
    client = await host.setUp()
    await set(client, { 'routes.dns_servers': [dns.address] })
    await dns.set({ [NAME]: [ONE] })
  })
  afterEach(() => host.close())

  const visited = async (path: string, heading: string | RegExp, look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, path, heading)
  const open = async (...where: Parameters<typeof visited>): Promise<Page> => (await visited(...where)).page
  const made = async (): Promise<void> => {
    const { status, text } = await createTunnel(client, { remote_endpoint: undefined, remote_hostname: NAME })
    assert.equal(status, 201, text)
  }

  it('is entered in the place of an address, refused where it does not resolve, and shown with its address', async () => {
    const { page, gates } = await visited('tunnels/new', 'Create a tunnel')
    await page.getByRole('button', { name: 'Start here' }).click()
    await page.getByText('or a host name, which is followed when its address changes').waitFor()
    gates.expectAnswer(422, '/tunnels/preview')
    await field(page, REMOTE).fill('nowhere.test')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    assert.match(
      await complaintOf(page, REMOTE),
      /^nowhere\.test does not resolve \(ENOTFOUND\)\. Enter a name that has/,
    )
    assert.equal(await page.getByText('Apply anyway').count(), 0)
    await field(page, REMOTE).fill(NAME)
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText(`Create the gre link gre-a-1 from 192.0.2.1 to ${ONE} with MTU 1472.`).waitFor()
    await page.getByText('GRE does not authenticate: whoever answers for far.test').waitFor()
    await page.getByRole('button', { name: 'Create the tunnel' }).click()
    await page.locator('[data-pairing-code]').waitFor()
    const { remote_hostname, remote_endpoint } = (await getTunnel(client, 1)).body
    assert.deepEqual([remote_hostname, remote_endpoint], [NAME, ONE])
  })

  it('stands in the form, and gives way to an address', async () => {
    await made()
    const { page, gates } = await visited('tunnels/1/edit', /gre-a-1/)
    gates.expectAnswer(409, '/tunnels/1')
    assert.equal(await field(page, REMOTE).inputValue(), NAME)
    await field(page, REMOTE).fill(TWO)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').getByRole('button').last().click()
    await page.waitForFunction(() => document.querySelector('[role=dialog]') === null)
    const { remote_hostname, remote_endpoint } = (await getTunnel(client, 1)).body
    assert.deepEqual([remote_hostname, remote_endpoint], [null, TWO])
  })

  it('takes the place of an address in the form', async () => {
    await createTunnel(client, { remote_endpoint: ONE })
    const page = await open('tunnels/1/edit', /gre-a-1/)
    await field(page, REMOTE).fill(NAME)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('GRE does not authenticate: whoever answers for far.test').waitFor()
    assert.equal((await getTunnel(client, 1)).body.remote_hostname, NAME)
  })

  it('is in the list, is found there, and its address on the page of the tunnel', async () => {
    await made()
    const page = await open('tunnels?q=far.test', /^Tunnels/)
    await page.locator('tbody tr.line').filter({ hasText: NAME }).waitFor()
    await page.getByRole('link', { name: 'gre-a-1' }).first().click()
    await seen(page, /gre-a-1/)
    await page.getByText("The other server's name").waitFor()
    await page.getByText(/^its address since /).waitFor()
  })

  for (const [language, look] of [
    ['en', {}],
    ['fa', { viewport: PHONE }],
  ] as const)
    it(`shows why it is not followed: ${language}`, async () => {
      await made()
      host.farEnds.start()
      await host.farEnds.settled()
      await dns.set({ [NAME]: ['127.0.0.1'] })
      for (const _ of [1, 2]) await host.farEnds.look(NAME, 4)
      const page = await open('tunnels/1', /gre-a-1/, look)
      await set(client, { 'display.language': language })
      await page.reload()
      await page
        .getByText(
          language === 'en'
            ? /The other server's address must not be a loopback address/
            : /تونل نمی‌تواند آن را دنبال کند/,
        )
        .waitFor()
      await page.getByText(NAME, { exact: true }).first().waitFor()
    })
})
