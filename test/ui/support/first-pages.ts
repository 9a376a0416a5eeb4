// Every page once as the first that a browser opens, and what came over the wire until it has all its data.
import { fakeRoute } from '../../support/fake-routes.ts'
import type { Browser, Page } from 'playwright-core'
import { ROUTES } from '../../../ui/src/core/routes.ts'
import { createRoute } from '../../api/support/routes.ts'
import { createTunnel } from '../../api/support/tunnels.ts'
import type { Client } from '../../api/support/client.ts'
import type { TestParts } from '../../api/support/panel.ts'
import type { Visit } from './browser.ts'
import { addressOf, seen, startHost, type Host } from './host.ts'
import { coldPage, countBytes } from './measure.ts'
import { giveHistory, giveHostHistory, giveTraffic } from './past.ts'

export interface FirstPage {
  readonly path: string
  /** In KB. */
  readonly page: number
  /**
   * The bytes of the library that draws charts, which has a limit of its own and comes after the data that is drawn.
   */
  readonly chart: number
  /** What it is made of: "12.3 /assets/index-….js". */
  readonly parts: readonly string[]
}

const CHART = /\/assets\/chart-[^/]+$/

/** A tunnel and a rule with a day behind them, watched and probed; the first hour is over. */
export const startHostWithFew = async (parts: TestParts = {}): Promise<Host> => {
  const host = await startHost(parts)
  const client = await host.setUp()
  await client.put('/settings', { 'display.first_hour': false })
  await createTunnel(client)
  host.kernel.hostRoutes.push(fakeRoute('10.9.0.0/24', 'gre-a-1'))
  await createRoute(client, { tunnel_id: 1 })
  await giveHistory(host, 1)
  await giveTraffic(host, 1)
  await giveHostHistory(host)
  await watchRarely(host, client)
  return host
}

/** One reading, however long the pages take: a late one is a finding, and shown as one. */
export const watchRarely = async (host: Host, client: Client): Promise<void> => {
  await client.put('/settings', { 'metrics.sample_interval_seconds': 600 })
  await host.metrics.start()
  await host.monitor.start()
}

/** Pages that load at the same time; a browser does not share what it has loaded between them. */
const AT_ONCE = 3

/**
 * The first pages by size, the largest first. They come by brotli, like over TLS or a tunnel of ssh: the package has
 * the panel listen elsewhere only if a proxy is configured that has TLS.
 */
export const firstPages = async (
  browser: Browser,
  host: Host,
  visit: Visit,
  wanted = ROUTES.map(({ path }) => path),
): Promise<FirstPage[]> => {
  const paths = [...wanted]
  const found: FirstPage[] = []
  const measureNext = async (): Promise<void> => {
    for (let path = paths.shift(); path !== undefined; path = paths.shift())
      found.push({ path, ...(await measure(await coldPage(browser, visit.context), host.base + addressOf(path))) })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, measureNext))
  return found.sort((a, b) => b.page - a.page)
}

const measure = async (page: Page, address: string): Promise<Omit<FirstPage, 'path'>> => {
  const bytes = await countBytes(page)
  await page.goto(address)
  await seen(page, /./)
  await bytes.settled()
  await page.context().close()
  const found = [...bytes.of].map(([url, length]) => ({ url, size: length / 1000 })).sort((a, b) => b.size - a.size)
  const total = (of: typeof found): number => of.reduce((sum, { size }) => sum + size, 0)
  return {
    page: total(found.filter(({ url }) => !CHART.test(url))),
    chart: total(found.filter(({ url }) => CHART.test(url))),
    parts: found.map(({ url, size }) => `${size.toFixed(1)} ${new URL(url).pathname}`),
  }
}
