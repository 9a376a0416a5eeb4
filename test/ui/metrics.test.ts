// The load of the host on the page: every figure by its name, both totals apart, and marked when it is old
// (requirements 2, 3, 20).
import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { createRoute } from '../api/support/routes.ts'
import { FakeHost } from '../support/fake-host.ts'
import { settingsWith } from '../support/settings.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { goTo, scrollToEnd, signedIn, startHost, type Host } from './support/host.ts'
import { giveHostHistory } from './support/past.ts'

describe('The host metrics on the page', () => {
  const { visit } = browsing()
  let machine: FakeHost
  let host: Host
  beforeEach(async () => {
    machine = new FakeHost()
    host = await startHost({
      metrics: { host: machine, settings: settingsWith({ 'metrics.sample_interval_seconds': 0.5 }) },
    })
    await host.setUp()
  })
  afterEach(() => host.close())

  const visitMetrics = async (look: Look = {}): Promise<Visit> => {
    if (!host.metrics.sampler.isRunning) await host.metrics.start()
    const arrived = await goTo(await signedIn(await visit(host, look)), host, 'metrics?range=live', 'Server metrics')
    await arrived.page.getByRole('heading', { name: 'History' }).waitFor()
    await scrollToEnd(arrived.page)
    await arrived.page.getByRole('heading', { name: 'Disks' }).waitFor()
    return arrived
  }

  it('show what a disk nears by word and shape, swap that is not there as not configured, and both totals under heads of their own', async () => {
    machine.files.set(
      '/proc/meminfo',
      String(machine.files.get('/proc/meminfo'))
        .replace(/SwapTotal:.*/, 'SwapTotal: 0 kB')
        .replace(/SwapFree:.*/, 'SwapFree: 0 kB'),
    )
    machine.disks.set('/', async () => ({ bsize: 4096, blocks: 1000, bfree: 20, bavail: 20, files: 100, ffree: 75 }))
    const { page } = await visitMetrics()
    const disk = page.getByRole('row', { name: /^\// }).first()
    assert.equal(await disk.locator('[data-state=down]').innerText(), 'Critically full')
    await page.getByText('Not configured', { exact: true }).waitFor()
    const table = page.getByRole('table', { name: 'Traffic of the interfaces' })
    assert.deepEqual((await table.getByRole('columnheader').allInnerTexts()).slice(2, 5), [
      'Now',
      'Since boot',
      'Since installation',
    ])
    assert.ok((await table.getByRole('row').count()) > 1)
    for (const name of ['CPU', 'Memory', 'Swap', 'Load, over 1 minute', 'Relay throughput', 'History'])
      await page.getByRole('heading', { name, exact: true }).waitFor()
  })

  it('have their course as a chart with the same figures as text', async () => {
    await host.metrics.start()
    await eventually(() => host.metrics.sampler.history(0).total >= 3, 'three readings')
    const { page } = await visitMetrics()
    const chart = page.getByRole('figure').filter({ hasText: 'CPU and memory' })
    await chart.getByText(/CPU.*: .* now, from .* to /).waitFor()
    await chart.getByText('Figures').click()
    await chart.getByRole('columnheader').first().waitFor()
    assert.deepEqual(await chart.getByRole('columnheader').allInnerTexts(), ['Time', 'CPU', 'Memory'])
    assert.ok((await chart.getByRole('row').count()) > 2)
  })

  it('go on in the chart with each reading, while the stored ones are requested once', async () => {
    const requests: string[] = []
    const visited = await signedIn(await visit(host))
    visited.page.on(
      'request',
      (request) => void (request.url().includes('/metrics/history') && requests.push(request.url())),
    )
    await host.metrics.start()
    const { page } = await goTo(visited, host, 'metrics?range=live', 'Server metrics')
    const chart = page.getByRole('figure').filter({ hasText: 'CPU and memory' })
    await chart.getByText('Figures').click()
    const first = await chart.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
    const rows = await chart.getByRole('row').count()
    await page.waitForFunction(
      (more) => (document.querySelector('figure table')?.querySelectorAll('tr').length ?? 0) > more,
      rows + 2,
    )
    assert.notEqual(await chart.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL()), first)
    assert.equal(requests.length, 1, `${requests}`)
  })

  it('have their charts, and what draws them, only once they come into view', async () => {
    const fetched: string[] = []
    const visited = await visit(host, { viewport: { ...PHONE, height: 400 } })
    visited.page.on('request', (request) => void (/\/chart-.*\.js$/.test(request.url()) && fetched.push(request.url())))
    await host.metrics.start()
    const { page } = await goTo(await signedIn(visited), host, 'metrics?range=live', 'Server metrics')
    const chart = page.getByRole('figure').filter({ hasText: 'CPU and memory' })
    await chart.getByText(/CPU.*: .* now/).waitFor()
    assert.deepEqual([fetched.length, await chart.locator('canvas').count()], [0, 0])
    // To its end, so that nothing of it is half behind the bar at the bottom.
    await chart.evaluate((element) => element.scrollIntoView({ block: 'start' }))
    await chart.locator('canvas').waitFor()
    assert.equal(fetched.length, 1)
  })

  it('have small charts that begin with what the server kept, here and on the overview', async () => {
    await host.metrics.start()
    await eventually(() => host.metrics.sampler.history(0).total >= 6, 'six readings')
    const visited = await signedIn(await visit(host))
    for (const [address, heading] of [
      ['metrics?range=live', 'Server metrics'],
      ['', 'Overview'],
    ] as const) {
      const { page } = await goTo(visited, host, address, heading)
      await page.waitForFunction(() =>
        /^M(.*L){5}/.test(document.querySelector('main svg path.line')?.getAttribute('d') ?? ''),
      )
      // Of this tab alone there are fewer: a reading comes each half second.
      const began = await page.evaluate(() => performance.now())
      const drawn = await page.locator('main svg path.line').first().getAttribute('d')
      const count = drawn?.match(/[ML]/g)?.length ?? 0
      assert.ok(count > began / 500, `${address}: ${count} points ${Math.round(began)} ms after the page was opened`)
    }
  })

  it('of a host with 200 interfaces and 200 rules fit some screens: the busiest are shown, the others found', async function () {
    const client = await host.signIn()
    for (let n = 1; n <= 200; n++) await createRoute(client, { route_rule_title: `rule ${n}`, bind_port: 10_000 + n })
    const names = Array.from({ length: 200 }, (_, n) => `gre-a-${n + 1}`)
    const carry = (round: number): void =>
      machine.traffic(Object.fromEntries(names.map((name, n) => [name, [round * n * 1000, 0]])))
    carry(0)
    let round = 0
    const carrying = setInterval(() => carry((round += 1)), 200)
    try {
      const { page } = await visitMetrics()
      const table = page.getByRole('table', { name: 'Traffic of the interfaces' })
      await page.getByText('Busiest 10 of 200').first().waitFor()
      assert.equal(await table.getByRole('row').count(), 11)
      const height = await page.evaluate(() => document.documentElement.scrollHeight)
      assert.ok(height < 5000, `${height} px`)
      await page.getByRole('searchbox', { name: 'Search: Traffic of the interfaces' }).fill('gre-a-77')
      await table.getByText('gre-a-77').waitFor()
      assert.equal(await table.getByRole('row').count(), 2)
      await page.waitForURL(/interfaces=gre-a-77/)
      const rules = page.getByRole('table', { name: 'Relay throughput' })
      assert.equal(await rules.getByRole('row').count(), 11)
      await page.getByRole('button', { name: 'Show all 200' }).click()
      assert.equal(await rules.getAttribute('aria-rowcount'), '201')
      await page.getByRole('button', { name: 'Show the busiest' }).click()
      assert.equal(await rules.getByRole('row').count(), 11)
    } finally {
      clearInterval(carrying)
    }
  })

  it('have their history in the time that is chosen, as those of tunnels and rules have', async () => {
    await giveHostHistory(host)
    await host.metrics.start()
    const { page } = await goTo(await signedIn(await visit(host)), host, 'metrics', 'Server metrics')
    const load = page.getByRole('figure').filter({ hasText: 'CPU, memory and disk' })
    await load.getByText(/CPU, highest.*: .* now, from .* to /).waitFor()
    await load.getByText('Figures').click()
    assert.deepEqual(await load.getByRole('columnheader').allInnerTexts(), [
      'Time',
      'CPU',
      'CPU, highest',
      'Memory',
      'Disk (fullest)',
    ])
    await load
      .getByRole('row', { name: /81 ?% 42 ?%$/ })
      .first()
      .waitFor()
    const traffic = page.getByRole('figure').filter({ hasText: 'Throughput of the server' })
    await traffic.getByText(/Received.*: .*\/s/).waitFor()
    await page.getByRole('button', { name: '1 hr', exact: true }).click()
    await page.waitForURL(/range=1h/)
    await page.getByRole('button', { name: 'Live' }).click()
    await page.getByRole('figure').filter({ hasText: 'CPU and memory' }).waitFor()
    await page.goBack()
    await load.waitFor()
  })

  it('say what could not be read', async () => {
    machine.files.delete('/proc/loadavg')
    const { page } = await visitMetrics()
    await page.getByText(/The load.? could not be read this time:/).waitFor()
  })

  it("say in the API's words why nothing is there where nothing is sampled", async () => {
    const arrived = await signedIn(await visit(host))
    arrived.gates.allowConsole(/503/)
    const { page } = await goTo(arrived, host, 'metrics?range=live', 'Server metrics')
    await page.getByText('Metrics are not being sampled').first().waitFor()
  })

  it('stay and are shown as old when no reading comes any more', async () => {
    const { page } = await visitMetrics()
    await host.metrics.stop()
    await page.getByText(/The data shown is from/).waitFor()
    assert.ok(await page.getByRole('table', { name: 'Disks' }).isVisible())
    assert.ok((await page.locator('.is-old').count()) > 0)
  })

  it('fit a phone', async () => {
    const { page } = await visitMetrics({ viewport: PHONE })
    for (const width of [PHONE.width, 320]) {
      await page.setViewportSize({ ...PHONE, width })
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `wider than ${width}`)
    }
  })
})
