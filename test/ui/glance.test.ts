// One glance at the tab, on whatever page: whether all is well; and the notifications of the browser, on request.
import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { browsing, PLAIN_HTTP_NAME, type Visit } from './support/browser.ts'
import { goTo, seen, signedIn, startHost, type Host } from './support/host.ts'
import { relayHost } from './support/relays.ts'

interface Reported {
  readonly reported: { readonly title: string; readonly body?: string; readonly onclick: () => void }[]
}

/** In the place of the browser's own, which has no screen here. */
const recordNotifications = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript({
    content: `
      window.reported = []
      window.Notification = class {
        static permission = localStorage.getItem('granted') ?? 'default'
        static async requestPermission() {
          localStorage.setItem('granted', 'granted')
          return (Notification.permission = 'granted')
        }
        constructor(title, options) {
          reported.push(Object.assign(this, { title, ...options }))
        }
        close() {}
      }`,
  })
const titles = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as unknown as Reported).reported.map(({ title, body = '' }) => `${title} ${body}`.trim()))

describe('A glance at the tab', () => {
  const { visit } = browsing()
  let host: Host
  beforeEach(async () => {
    host = await startHost({ host_names: [PLAIN_HTTP_NAME] })
    const client = await relayHost(host)
    await client.post('/tunnels/2/reapply')
    await client.put('/settings', { 'display.server_name': 'Hamburg' })
    await client.post('/routes/3/disable')
    await look()
  })
  afterEach(() => host.close())

  const look = async (): Promise<void> => {
    await host.watch.pass('event')
    await host.routeWatch.pass('event')
  }
  const breakOne = async (): Promise<void> => {
    host.kernel.held.delete('gre-a-1')
    await look()
  }
  const titled = (page: Page, title: string): Promise<unknown> =>
    page.waitForFunction((wanted) => document.title === wanted, title)
  const icon = async (page: Page): Promise<string> => (await page.locator('link[rel=icon]').getAttribute('href')) ?? ''
  const settings = async (look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, 'settings', 'Settings')

  it('says in the title and by the icon how many things need attention, and stops when none does', async () => {
    const { page } = await settings()
    await titled(page, 'Settings · Hamburg · Tunnel Panel')
    const calm = await icon(page)
    await breakOne()
    await titled(page, '(1) Hamburg · Settings · Tunnel Panel')
    assert.match(await icon(page), /d92d20/)
    await page.getByRole('link', { name: 'Tunnels', exact: true }).first().click()
    await seen(page, /^Tunnels/)
    await titled(page, '(1) Hamburg · Tunnels · Tunnel Panel')
    const client = await host.signIn()
    await client.post('/tunnels/1/reapply')
    await look()
    await titled(page, 'Tunnels · Hamburg · Tunnel Panel')
    assert.equal(await icon(page), calm)
  })

  it('does not take a panel that is silent for one that is well', async () => {
    const { page, context, gates } = await settings()
    gates.allowConsole(/ERR_CONNECTION_REFUSED/)
    await context.route('**/api/**', (route) => route.abort('connectionrefused'))
    await titled(page, '(?) Hamburg · Settings · Tunnel Panel')
  })

  it('asks once for all tabs of the browser', async () => {
    const { page, context } = await settings()
    const second = await context.newPage()
    await second.goto(`${host.base}settings`)
    await titled(second, 'Settings · Hamburg · Tunnel Panel')
    let requests = 0
    context.on('request', (request) => void (request.url().endsWith('/reconcile/attention') && requests++))
    await breakOne()
    await titled(page, '(1) Hamburg · Settings · Tunnel Panel')
    await titled(second, '(1) Hamburg · Settings · Tunnel Panel')
    assert.equal(requests, 1)
  })

  it('notifies of an incident once, whatever the number of tabs, and leads to its page', async () => {
    const arrived = await visit(host)
    await recordNotifications(arrived.context)
    const { page, context } = await goTo(await signedIn(arrived), host, 'account', 'Account')
    await page.getByRole('switch', { name: 'Notify me in this browser' }).click()
    await page.waitForFunction(() => (window as unknown as Reported).reported.length === 1)
    const second = await context.newPage()
    await second.goto(`${host.base}settings`)
    await titled(second, 'Settings · Hamburg · Tunnel Panel')
    await breakOne()
    for (const tab of [page, second])
      await titled(tab, `(1) Hamburg · ${tab === page ? 'Account' : 'Settings'} · Tunnel Panel`)
    const both = async (): Promise<string[]> => [...(await titles(page)), ...(await titles(second))]
    const wanted = [
      'Notifications are on',
      'Hamburg · Hamburg relay: Down The interface gre-a-1 is missing on this server',
    ]
    await eventually(async () => (await both()).length >= 2)
    assert.deepEqual((await both()).sort(), wanted.sort())
    const teller = (await titles(second)).length > 0 ? second : page
    await teller.evaluate(() => (window as unknown as Reported).reported.at(-1)?.onclick())
    await teller.getByRole('heading', { name: /gre-a-1/, level: 1 }).waitFor()
    await page.reload()
    await page.waitForFunction(() => document.title.startsWith('(1) Hamburg'))
    assert.deepEqual(await titles(page), [])
  })

  it('says why there are no notifications over plain HTTP, and where the browser blocks them', async () => {
    const plain = { ...host, base: host.base.replace('127.0.0.1', PLAIN_HTTP_NAME) }
    const visited = await visit(plain, { allowConsole: /Cross-Origin-Opener-Policy/ })
    await goTo(await signedIn(visited), plain, 'account', 'Account')
    await visited.page
      .getByText('This page was loaded over plain HTTP, where browsers allow no notifications')
      .waitFor()
    assert.ok(await visited.page.getByRole('switch', { name: 'Notify me in this browser' }).isDisabled())
    const blocked = await visit(host)
    await recordNotifications(blocked.context)
    await blocked.context.addInitScript(() => localStorage.setItem('granted', 'denied'))
    await blocked.page.reload()
    await goTo(await signedIn(blocked), host, 'account', 'Account')
    await blocked.page.reload()
    await blocked.page.getByText('This browser blocks notifications of the panel').waitFor()
  })
})
