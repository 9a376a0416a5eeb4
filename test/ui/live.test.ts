// What is live when the panel goes away under the page: a banner with its age, values that stay, dimmed, and everything
// as it is now once the panel is back (requirement 3).
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { startWatching, toggle, type WatchingPanel } from '../api/support/monitor.ts'
import { PAGE_DIR } from '../api/support/panel.ts'
import { createRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { browsing, type Visit } from './support/browser.ts'
import { goTo, seen, signedIn } from './support/host.ts'
import { isColoured, pictureOf } from './support/pixels.ts'

/** Within which an answer and the stream count as one (ui/src/core/live.svelte.ts). */
const TOGETHER_MS = 1000
const LOST = /^The live connection is lost; reconnecting\. The data shown is from .* ago\.$/
/** Matches a lost connection, also one that was lost before its first event. */
const NOT_LIVE = /^(The live connection is lost; reconnecting|There is no live connection; retrying)\./

describe('What is live on the page', function () {
  const { visit } = browsing()
  let panel: WatchingPanel
  let name: string
  let at: AddressInfo
  beforeEach(async () => {
    panel = await startWatching({ page_dir: PAGE_DIR })
    await panel.metrics.start()
    await panel.operator.put('/settings', { 'monitor.tcp_knock_enabled': false })
    ;({ name } = await panel.up())
    await createRoute(panel.operator, { tunnel_id: 1 })
  })
  afterEach(async () => {
    if (!panel.server.listening) await restart()
    await panel.close()
  })

  /** Kills the daemon: its connections end, and nothing listens. */
  const kill = async (): Promise<void> => {
    const { server } = panel
    at = server.address() as AddressInfo
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  const restart = (): Promise<void> => new Promise((resolve) => void panel.server.listen(at.port, at.address, resolve))
  const visitPage = async (): Promise<Visit> => {
    const visited = await signedIn(await visit(panel))
    // What the browser says of connections that end and are refused.
    visited.gates.allowConsole(/net::ERR_/)
    return visited
  }

  it('stays, dimmed, under a banner that says how old it is, and is as the host is now once the panel is back', async () => {
    const { page, gates } = await visitPage()
    const tile = page.locator('section', { has: page.getByRole('heading', { name: 'Tunnels', exact: true }) })
    await tile.locator('[data-state=up]').waitFor()
    await page.getByText('CPU').first().waitFor()
    assert.ok(isColoured(await pictureOf(tile)))
    // A style that is still on its way ends with the panel, and what checks the page would like to read it.
    gates.allowConsole(/Couldn't load preload assets/)
    await kill()
    await page.getByRole('status').filter({ hasText: LOST }).waitFor()
    panel.prober.lose(name, 70)
    await panel.until(1, 'Down')
    assert.equal(await tile.locator('[data-state=up]').innerText(), 'Up')
    assert.ok(!isColoured(await pictureOf(tile)))
    assert.deepEqual(await gates.findings(), [], 'it can still be read by everybody')
    await restart()
    await page.getByText(LOST).first().waitFor({ state: 'detached' })
    await tile.locator('[data-state=down]').waitFor()
    assert.ok(isColoured(await pictureOf(tile)))
  })

  it('is shown as old once, on every page that has something live', async () => {
    const visited = await visitPage()
    const { page } = visited
    for (const [path, heading] of [
      ['', 'Overview'],
      ['tunnels', /^Tunnels/],
      ['tunnels/1', name],
      ['tunnels/1/diagnostics', name],
      ['routes', /^Relay rules/],
      ['routes/1', /./],
      ['metrics', 'Server metrics'],
      ['reconcile', 'Drift'],
    ] as const) {
      const opened = page.waitForResponse((answer) => answer.url().endsWith('/stream'))
      await goTo(visited, panel, path, heading)
      await opened
      await kill()
      const banner = page.getByRole('status').filter({ hasText: NOT_LIVE })
      await banner.first().waitFor()
      assert.equal(await banner.count(), 1, `on ${path}`)
      await restart()
    }
  })

  it('is not called live again by events from before the loss of the connection, and is shown after it', async () => {
    const visited = await visitPage()
    const { page } = visited
    const FRAME_MS = 1500
    await page.addInitScript(
      (ms) =>
        (window.requestAnimationFrame = (show) => setTimeout(() => show(performance.now()), ms) as unknown as number),
      FRAME_MS,
    )
    const opened = page.waitForResponse((answer) => answer.url().endsWith('/monitor/stream'))
    await goTo(visited, panel, 'tunnels', /^Tunnels/)
    await opened
    // The picture is with the page, and its frame is not there yet.
    await page.waitForTimeout(FRAME_MS / 3)
    await kill()
    const banner = page.getByRole('status').filter({ hasText: NOT_LIVE })
    await banner.waitFor()
    assert.equal(
      await page
        .getByRole('row', { name: new RegExp(name) })
        .locator('.value [data-state=up]')
        .isVisible(),
      true,
    )
    for (const end = Date.now() + FRAME_MS; Date.now() < end; await page.waitForTimeout(50))
      assert.equal(await banner.count(), 1)
  })

  it('has what changed after the first answers and before its stream was open', async () => {
    const visited = await visitPage()
    const { page } = visited
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => (open = resolve))
    await page.route('**/monitor/stream', async (route) => {
      await opened
      await route.continue()
    })
    await goTo(visited, panel, 'routes', /^Relay rules/)
    await page.locator('tbody tr.line').waitFor()
    const { status } = await panel.operator.patch('/routes/1', { route_rule_title: 'Renamed meanwhile' })
    assert.equal(status, 200)
    await page.waitForTimeout(TOGETHER_MS)
    open()
    // Long before the list is fetched again by itself.
    await page.getByText('Renamed meanwhile').waitFor()
  })

  it('calls a tunnel that is disabled so, and one that is only not watched by that', async () => {
    const { body } = await createTunnel(panel.operator, { remote_endpoint: '198.51.100.20', is_enabled: false })
    await toggle(panel.operator, 1, 'disable')
    const visited = await visitPage()
    const { page } = visited
    const tile = page.locator('section', { has: page.getByRole('heading', { name: 'Tunnels', exact: true }) })
    await tile.getByRole('link', { name: /^Disabled\s*1$/ }).click()
    await seen(page, /^Tunnels/)
    await page.getByRole('row', { name: new RegExp(body.tunnel.interface_name) }).waitFor()
    assert.equal(await page.getByRole('row', { name: new RegExp(name) }).count(), 0)
    await goTo(visited, panel, 'tunnels/1', name)
    await page.getByText('Not monitored').first().waitFor()
    await goTo(visited, panel, `tunnels/${body.tunnel.tunnel_id}`, body.tunnel.interface_name)
    await page.locator('.badge:not(.plain)', { hasText: 'Disabled' }).nth(1).waitFor()
    assert.equal(await page.locator('.badge:not(.plain)', { hasText: 'Not monitored' }).count(), 0)
  })

  it('is shown as out of date if no connection ends and nothing answers any more', async () => {
    const visited = await visitPage()
    const { page, context } = await goTo(visited, panel, 'tunnels', /^Tunnels/)
    await page
      .getByRole('row', { name: new RegExp(name) })
      .locator('.value [data-state=up]')
      .waitFor()
    await context.route('**/api/**', () => undefined)
    await page.clock.install()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.clock.fastForward('01:00')
    await page.getByText('This could not be refreshed: The panel does not answer').waitFor()
    assert.equal(await page.getByRole('row', { name: new RegExp(name) }).count(), 1)
    await context.unrouteAll({ behavior: 'ignoreErrors' })
  })
})
