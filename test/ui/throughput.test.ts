// Throughput on the page: of a tunnel and of a rule, now and over time.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { createRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { FakeHost } from '../support/fake-host.ts'
import { settingsWith } from '../support/settings.ts'
import { browsing } from './support/browser.ts'
import { goTo, type Host, scrollToEnd, seen, signedIn, startHost } from './support/host.ts'
import { giveHistory, giveUnmeasured } from './support/past.ts'

const MEBIBYTE = 1_048_576

describe('Throughput on the page', () => {
  const { visit } = browsing()
  let machine: FakeHost
  let host: Host
  let received: number
  beforeEach(async () => {
    machine = new FakeHost()
    received = 0
    carry(0)
    host = await startHost({
      metrics: { host: machine, settings: settingsWith({ 'metrics.sample_interval_seconds': 0.5 }) },
    })
    const client = await host.setUp()
    await createTunnel(client)
    await createRoute(client, { route_rule_title: 'web' })
  })
  afterEach(() => host.close())

  const carry = (bytes: number): void => {
    received += bytes
    machine.traffic({ eth0: [received, 0], 'gre-a-1': [received, Math.floor(received / 4)] })
  }
  const visitPage = async (address: string, heading: string | RegExp): Promise<Page> =>
    (await goTo(await signedIn(await visit(host)), host, address, heading)).page
  const card = (page: Page): Locator => page.locator('section').filter({ hasText: 'Throughput' }).first()

  it('of a tunnel is shown at once, with the last hour of the server before this page was opened', async () => {
    await giveHistory(host, 1)
    await host.metrics.start()
    const page = await visitPage('tunnels/1', /gre-a-1/)
    const there = card(page)
    await there.getByText('Last hour').waitFor()
    // Of sixty minutes before the page was opened; what is live comes after.
    const line = there.locator('svg path.line').first()
    await line.waitFor()
    const drawn = (await line.getAttribute('d'))?.match(/[ML]/g)?.length ?? 0
    assert.ok(drawn >= 28, `${drawn} points`)
    const carrying = setInterval(() => carry(Math.floor(MEBIBYTE / 20)), 50)
    try {
      await there.getByText(/^\W*([89]\d\d\sKiB|1(\.[0-2]\d*)?\sMiB)\/s\W*$/).waitFor()
    } finally {
      clearInterval(carrying)
    }
  })

  it('of a tunnel over time is a chart with the figures of the store, and says where nothing was counted', async () => {
    await giveUnmeasured(host, 1)
    const page = await visitPage('tunnels/1/history?range=15m', /gre-a-1/)
    await page.getByText('No history yet').waitFor()
    await giveHistory(host, 1)
    await page.reload()
    await page.getByRole('button', { name: '1 day' }).click()
    const chart = page.getByRole('figure').filter({ hasText: 'Throughput' })
    await chart.getByText(/Received: .* now, from .* to 3\.\d+\sMiB\/s/).waitFor()
    await chart.locator('.u-over').waitFor()
    assert.match(
      (await chart.locator('.summary').first().textContent()) ?? '',
      /to 3\.\d+\u00a0MiB/,
      'one word for a line',
    )
    assert.deepEqual(await chart.evaluate(drawnColours), ['accent', 'up'], 'what was received, and what was sent')
  })

  it('of a tunnel is live on its chart: each reading is a point at the end', async () => {
    await giveHistory(host, 1)
    await host.metrics.start()
    const page = await visitPage('tunnels/1/history?range=live', /gre-a-1/)
    const chart = page.getByRole('figure').filter({ hasText: 'Throughput' })
    await chart.getByText('Figures').click()
    const rows = chart.getByRole('row')
    await rows.nth(12).waitFor()
    const before = await rows.count()
    await page.waitForFunction((count) => document.querySelectorAll('figure tbody tr').length >= count + 2, before)
  })

  it('of a rule is seeded by the readings of the server', async () => {
    let at = 0
    const points = Array.from({ length: 60 }, () => ({ at: (at += 5) }))
    const began = Date.now() - 320_000
    const page = (await signedIn(await visit(host))).page
    await page.route('**/routes/1/traffic?points=120', async (route) => {
      const answer = (await (await route.fetch()).json()) as { points: object[] }
      answer.points = points.map((point, n) => ({
        at: new Date(began + point.at * 1000).toISOString(),
        rx_bytes_per_second: 1000 + n,
        tx_bytes_per_second: 500 + (n % 7),
      }))
      await route.fulfill({ json: answer })
    })
    await page.goto(`${host.base}routes/1`)
    await seen(page, /./)
    await scrollToEnd(page)
    const line = page.locator('section').filter({ hasText: 'Now' }).locator('svg path.line').first()
    await line.waitFor()
    assert.equal((await line.getAttribute('d'))?.match(/[ML]/g)?.length, 60)
  })
})

/** Runs in the browser: which of the series are drawn in their colours. */
const drawnColours = (figure: Element): string[] => {
  const canvas = figure.querySelector('canvas')
  const { data } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
  const found = new Set<string>()
  for (let at = 0; at < data.length; at += 4) found.add(`${data[at]},${data[at + 1]},${data[at + 2]}`)
  return ['accent', 'up'].filter((colour) => {
    const key = figure.querySelector(`.key.${colour}`)
    const stroke = key ? getComputedStyle(key, '::before').borderBlockStartColor : ''
    return found.has(stroke.match(/\d+/g)?.join() ?? '')
  })
}
