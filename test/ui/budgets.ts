// Measures the page against its limits (design of the page): npm run budgets. Sizes are of what is built, compressed by gzip; times are of Chromium here.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { PAGE_DIR } from '../api/support/panel.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { launch, visitWith, type Visit } from './support/browser.ts'
import { seen, signedIn, startHost, type Host } from './support/host.ts'

interface Line {
  readonly what: string
  readonly measured: number
  readonly limit: number
  readonly unit: 'KB' | 'ms'
}

const MANY = 1000
const lines: Line[] = []
const tell = (what: string, measured: number, limit: number, unit: Line['unit']): void => void lines.push({ what, measured, limit, unit })
const packed = (file: string): number => (existsSync(join(PAGE_DIR, `${file}.gz`)) ? statSync(join(PAGE_DIR, `${file}.gz`)).size / 1000 : 0)
const total = (files: readonly string[]): number => files.reduce((sum, file) => sum + packed(file), 0)

const sizes = (): void => {
  const html = readFileSync(join(PAGE_DIR, 'index.html'), 'utf8')
  tell('first load, JS and CSS', total([...html.matchAll(/"\.\/(assets\/[^"]+)"/g)].map((match) => String(match[1]))), 45, 'KB')
  const { routes } = JSON.parse(readFileSync(join(PAGE_DIR, 'preload.json'), 'utf8')) as { routes: { path: string; files: Record<string, string[]> }[] }
  const own = routes.map(({ path, files }) => ({ path, size: total((files['en'] ?? []).filter((file) => /Page-/.test(file))) })).sort((a, b) => b.size - a.size)
  tell(`largest chunk of a route (${own[0]?.path ?? ''})`, own[0]?.size ?? 0, 15, 'KB')
  tell('chart', total(readdirSync(join(PAGE_DIR, 'assets')).filter((name) => /^chart-.*\.(js|css)$/.test(name)).map((name) => `assets/${name}`)), 26, 'KB')
}

/** Slower by `times`, and over a network of that round trip and speed. */
const slow = async (page: Page, times: number, network?: { latency: number; kbps: number }): Promise<void> => {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Emulation.setCPUThrottlingRate', { rate: times })
  if (!network) return
  const bytes = (network.kbps * 1000) / 8
  await debug.send('Network.enable')
  await debug.send('Network.emulateNetworkConditions', { offline: false, latency: network.latency, downloadThroughput: bytes, uploadThroughput: bytes })
}

const cold = async (browser: Browser, host: Host, path: string, heading: RegExp | string): Promise<{ ms: number; bytes: number }> => {
  const warm = await signedIn(await visitWith(browser, host))
  const state = await warm.context.storageState()
  await warm.context.close()
  const context = await browser.newContext({ storageState: state, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await slow(page, 4, { latency: 400, kbps: 400 })
  const debug = await context.newCDPSession(page)
  await debug.send('Network.enable')
  let bytes = 0
  debug.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength))
  const began = performance.now()
  await page.goto(host.base + path, { waitUntil: 'commit' })
  await seen(page, heading)
  const ms = performance.now() - began
  await page.waitForTimeout(3000)
  await context.close()
  return { ms, bytes }
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

const times = async (browser: Browser): Promise<void> => {
  const host = await startHost()
  const client = await host.setUp()
  await createTunnel(client)
  await host.metrics.start()
  const overview = await cold(browser, host, '', 'Overview')
  tell('overview, cold, 400 ms round trip, 400 kbit/s, processor slowed 4 times', overview.ms, 4000, 'ms')
  tell('overview with its data, over the wire', overview.bytes / 1000, 90, 'KB')
  for (let n = 2; n <= MANY; n++) await createTunnel(client, { remote_endpoint: `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`, address_pool_id: 20, ...(n > 250 ? { addresses: [{ address: `10.${100 + (n >> 8)}.${n & 255}.1`, prefix_length: 30 }], tunnel_number: 1000 + n } : {}) })
  const visit = await signedIn(await visitWith(browser, host))
  for (const [rate, limits] of [[1, [150, 100]], [4, [400, 200]]] as const) {
    await slow(visit.page, rate)
    await opening(visit)
    const pace = rate === 1 ? 'full speed' : `slowed ${rate} times`
    tell(`open ${MANY} tunnels known already, ${pace}`, await opening(visit), limits[0], 'ms')
    tell(`type in their search, ${pace}`, await typing(visit), limits[1], 'ms')
  }
  await host.close()
}

sizes()
const browser = await launch()
try {
  if (!process.argv.includes('sizes')) await times(browser)
} finally {
  await browser.close()
}
for (const { what, measured, limit, unit } of lines) console.log(`${measured <= limit ? 'within' : 'OVER  '}  ${measured.toFixed(1).padStart(8)} of ${String(limit).padStart(5)} ${unit}  ${what}`)
process.exit(lines.every(({ measured, limit }) => measured <= limit) ? 0 : 1)
