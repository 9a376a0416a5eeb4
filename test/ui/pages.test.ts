// Every page of the app opens: with nothing in it and with something, in English and in Persian, without a finding of
// the gates.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ROUTES } from '../../ui/src/core/routes.ts'
import { createNetwork } from '../api/support/networks.ts'
import { createRoute } from '../api/support/routes.ts'
import { browsing, PHONE } from './support/browser.ts'
import {
  addressOf,
  giveTunnels,
  giveWebhook,
  scrollToEnd,
  seen,
  signedIn,
  startHost,
  type Host,
} from './support/host.ts'

describe('Every page', function () {
  const { visit } = browsing()
  let host: Host
  beforeEach(async () => {
    host = await startHost()
    await host.metrics.start()
  })
  afterEach(() => host.close())

  it('opens on a panel that has nothing yet, but for those about one thing', async () => {
    await host.setUp()
    const { page, gates } = await signedIn(await visit(host))
    for (const { path } of ROUTES.filter((route) => !route.path.includes(':'))) {
      await page.goto(host.base + addressOf(path))
      await seen(page, /./)
      assert.deepEqual(await gates.findings(), [], path)
    }
  })

  it('asks for what lies below once it is seen, or reached by the keyboard', async () => {
    const client = await host.setUp()
    await createRoute(client)
    for (const reach of [
      (page: Page) => scrollToEnd(page),
      (page: Page) => page.getByRole('button', { name: 'Show the rest of the page' }).last().focus(),
    ]) {
      const { page } = await signedIn(await visit(host))
      const requests: string[] = []
      page.on('request', (request) => void requests.push(new URL(request.url()).pathname))
      await page.goto(host.base + 'routes/1')
      const isAsked = (): boolean => requests.some((path) => path.endsWith('/routes/1/connections'))
      await page.getByText('The rule in the kernel matches what is stored').first().waitFor()
      assert.equal(isAsked(), false)
      await reach(page)
      await page.getByRole('heading', { name: 'Open connections by source' }).waitFor()
      assert.equal(isAsked(), true)
    }
  })

  for (const [name, language, viewport] of [
    ['on a phone', 'en', PHONE],
    ['in Persian', 'fa', undefined],
  ] as const) {
    it(`opens ${name} on a panel with tunnels and rules`, async () => {
      const client = await host.setUp()
      await giveTunnels(host, client)
      await giveWebhook(client)
      await createRoute(client, { tunnel_id: 1 })
      await createNetwork(client)
      const { page, gates } = await signedIn(await visit(host, viewport ? { viewport } : {}))
      await client.put('/settings', { 'display.language': language })
      for (const { path } of ROUTES) {
        await page.goto(host.base + addressOf(path))
        await seen(page, /./)
        await scrollToEnd(page)
        assert.deepEqual(await gates.findings(), [], path)
        if (viewport)
          assert.ok(
            (await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width,
            `${path} scrolls sideways`,
          )
      }
    })
  }
})
