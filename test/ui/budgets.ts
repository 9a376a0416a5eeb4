// Measures the page against its limits (design of the page): npm run budgets. Sizes are of what is built, compressed by
// gzip; times are of Chromium here.
import { loadavg } from 'node:os'
import type { Browser } from 'playwright-core'
import { createTunnel } from '../api/support/tunnels.ts'
import { median } from '../bench/figures.ts'
import { launch, PLAIN_HTTP_NAME, visitWith, type Visit } from './support/browser.ts'
import { firstPages, startHostWithFew } from './support/first-pages.ts'
import { seen, signedIn, startHost, type Host } from './support/host.ts'
import { coldPage, longestTask, slowLine, slowProcessor } from './support/measure.ts'
import { chartSize, firstLoad, LIMITS, routeSizes } from './support/sizes.ts'

interface Line {
  readonly what: string
  readonly measured: number
  readonly limit: number
  readonly unit: 'KB' | 'ms'
}

const MANY = 1000
const lines: Line[] = []
const tell = (what: string, measured: number, limit: number, unit: Line['unit']): void =>
  void lines.push({ what, measured, limit, unit })

const sizes = (): void => {
  tell('first load, JS and CSS', firstLoad(), LIMITS.first_load, 'KB')
  const [largest] = routeSizes()
  tell(`largest chunk of a route (${largest?.path ?? ''})`, largest?.size ?? 0, LIMITS.route, 'KB')
  tell('chart', chartSize(), LIMITS.chart, 'KB')
}

const SLOW = { latency: 400, kbps: 400 } as const
const SLOW_TOLD = `${SLOW.latency} ms round trip, ${SLOW.kbps} kbit/s, processor slowed 4 times`

/**
 * The host under a name that no browser trusts like 127.0.0.1: over plain HTTP a browser requests gzip, which is larger
 * than brotli.
 */
const overPlainHttp = (host: Host): Host => ({ ...host, base: host.base.replace('127.0.0.1', PLAIN_HTTP_NAME) })

/** Loads the page from an empty cache over a bad line until the overview shows the state of the tunnels. */
const coldOverview = async (browser: Browser, host: Host, { context }: Visit): Promise<void> => {
  const page = await coldPage(browser, context)
  await slowProcessor(page, 4)
  await slowLine(page, SLOW)
  const began = performance.now()
  await page.goto(host.base, { waitUntil: 'commit' })
  await seen(page, 'Overview')
  const heading = performance.now() - began
  await page.locator('.tile [data-state]').first().waitFor()
  tell(
    `overview with its first figures, cold, ${SLOW_TOLD} (heading after ${Math.round(heading)} ms)`,
    performance.now() - began,
    4000,
    'ms',
  )
  await page.context().close()
}

const largestFirstPage = async (browser: Browser, host: Host, visit: Visit): Promise<void> => {
  const [most] = await firstPages(browser, host, visit)
  if (!most) throw new Error('no page was opened')
  const { path, page, chart } = most
  const what = `largest first page with its data, over the wire (${path}; ${(page + chart).toFixed(1)} with what draws its chart)`
  tell(what, page, LIMITS.first_page, 'KB')
}

const RUNS = 7

const medianOf = async (once: () => Promise<number>): Promise<number> => {
  const found: number[] = []
  for (let n = 0; n < RUNS; n++) found.push(await once())
  return median(found)
}

/** Within the browser, from the click to the frame after the rows are there. */
const opening = async ({ page }: Visit): Promise<number> => {
  await page.getByRole('link', { name: 'Overview' }).first().click()
  await seen(page, 'Overview')
  return page.evaluate(async () => {
    const link = document.querySelector<HTMLAnchorElement>('nav a[href$="/tunnels"]')
    const began = performance.now()
    link?.click()
    while (!document.querySelector('tbody tr.line')) await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    return performance.now() - began
  })
}

const typing = ({ page }: Visit): Promise<number> =>
  page.evaluate(async () => {
    const box = document.querySelector<HTMLInputElement>('[data-search]')
    if (!box) throw new Error('there is no search box')
    const times: number[] = []
    for (const text of ['g', 'gr', 'gre-a-7', '']) {
      const began = performance.now()
      box.value = text
      box.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      times.push(performance.now() - began)
    }
    return Math.max(...times)
  })

/** Once around all pages that the navigation leads to, each for the first time. */
const walk = async (browser: Browser, { page }: Visit): Promise<void> => {
  const found: { path: string; ms: number }[] = []
  for (const link of await page.locator('nav.side a').all()) {
    const path = (await link.getAttribute('href')) ?? ''
    const ms = await longestTask(browser, page, async () => {
      await link.click()
      await page.locator('nav.side a[aria-current]').and(link).waitFor()
      await seen(page, /./)
      await page.waitForTimeout(1500)
    })
    found.push({ path, ms })
  }
  const [most] = found.sort((a, b) => b.ms - a.ms)
  tell(`longest task while going through all pages (${most?.path ?? ''}), on the processor`, most?.ms ?? 0, 50, 'ms')
  if (process.argv.includes('each')) for (const { path, ms } of found) console.log(`${ms.toFixed(1)} ms ${path}`)
}

/** What stands is looked at while its probes come in. */
const watchThem = async ({ page }: Visit): Promise<void> => {
  await page.waitForTimeout(10_000)
}

const few = async (browser: Browser): Promise<void> => {
  const host = await startHostWithFew({ host_names: [PLAIN_HTTP_NAME] })
  const plain = overPlainHttp(host)
  await coldOverview(browser, plain, await signedIn(await visitWith(browser, plain)))
  const visit = await signedIn(await visitWith(browser, host))
  await largestFirstPage(browser, host, visit)
  await walk(browser, visit)
  await host.close()
}

const many = async (browser: Browser): Promise<void> => {
  const host = await startHost()
  const client = await host.setUp()
  for (let n = 1; n <= MANY; n++)
    await createTunnel(client, {
      remote_endpoint: `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`,
      address_pool_id: 20,
      ...(n > 250
        ? { addresses: [{ address: `10.${100 + (n >> 8)}.${n & 255}.1`, prefix_length: 30 }], tunnel_number: 1000 + n }
        : {}),
    })
  const visit = await signedIn(await visitWith(browser, host))
  for (const [rate, limits] of [
    [1, [150, 100]],
    [4, [400, 200]],
  ] as const) {
    await slowProcessor(visit.page, rate)
    await opening(visit)
    await typing(visit)
    const pace = rate === 1 ? 'full speed' : `slowed ${rate} times`
    tell(`open ${MANY} tunnels known already, ${pace}`, await medianOf(() => opening(visit)), limits[0], 'ms')
    tell(`type in their search, ${pace}`, await medianOf(() => typing(visit)), limits[1], 'ms')
  }
  await slowProcessor(visit.page, 1)
  await host.monitor.start()
  await visit.page.getByText('Up', { exact: true }).first().waitFor()
  tell(
    `longest task while ${MANY} tunnels are probed, on the processor`,
    await longestTask(browser, visit.page, () => watchThem(visit)),
    50,
    'ms',
  )
  await host.close()
}

sizes()
const browser = await launch()
try {
  if (!process.argv.includes('sizes')) {
    await few(browser)
    await many(browser)
  }
} finally {
  await browser.close()
}
console.log(`the machine's load is ${loadavg()[0]?.toFixed(1) ?? ''}: wall times are worth something below 1`)
for (const { what, measured, limit, unit } of lines)
  console.log(
    `${measured <= limit ? 'within' : 'OVER  '}  ${measured.toFixed(1).padStart(8)} of ${String(limit).padStart(5)} ${unit}  ${what}`,
  )
process.exit(lines.every(({ measured, limit }) => measured <= limit) ? 0 : 1)
