// Without any colour: every state has a shape of its own, in lists and in the bar of a history (requirement 2).
import assert from 'node:assert/strict'
import { emptyBucket, stateSeverity } from '@panel/web-daemon/features/monitor/bucket.ts'
import { addBuckets } from '@panel/web-daemon/features/monitor/store.ts'
import { MONITOR_STATES, type MonitorState } from '@panel/shared/api/base/lookups.ts'
import { startWatching, toggle, type WatchingPanel } from '../api/support/monitor.ts'
import { PAGE_DIR } from '../api/support/panel.ts'
import { browsing, type Visit } from './support/browser.ts'
import { goTo, signedIn } from './support/host.ts'
import { inkOf, isColoured, pictureOf, withoutColours } from './support/pixels.ts'

const STATES = Object.keys(MONITOR_STATES) as MonitorState[]
/** The share of a mark's pixels that must differ between two states. */
const LEAST_DIFFERENCE = 0.15
const LEAST_STEP_PX = 2

describe('The states of tunnels without colours', function () {
  const { visit } = browsing()
  let panel: WatchingPanel
  /** The name of a tunnel in each state. */
  let names: Record<MonitorState, string>
  before(async () => {
    panel = await startWatching({ page_dir: PAGE_DIR })
    await panel.operator.put('/settings', { 'monitor.tcp_knock_enabled': false })
    const made = async (n: number) => panel.probed({ remote_endpoint: `198.51.100.${n}` })
    const [up, degraded, down, unknown, disabled] = [
      await made(1),
      await made(2),
      await made(3),
      await made(4),
      await made(5),
    ]
    panel.prober.answer(up.name, 5)
    panel.prober.answer(degraded.name, 5)
    panel.prober.lose(degraded.name, 5)
    panel.prober.lose(down.name, 5)
    await toggle(panel.operator, disabled.tunnel_id, 'disable')
    for (const [{ tunnel_id }, state] of [
      [up, 'Up'],
      [degraded, 'Degraded'],
      [down, 'Down'],
      [unknown, 'Unknown'],
      [disabled, 'Disabled'],
    ] as const)
      await panel.until(tunnel_id, state)
    names = { Up: up.name, Degraded: degraded.name, Down: down.name, Unknown: unknown.name, Disabled: disabled.name }
  })
  after(() => panel.close())

  const visitPage = async (path: string, heading: RegExp | string): Promise<Visit> => {
    const visited = await signedIn(await visit(panel))
    await withoutColours(visited.page)
    return goTo(visited, panel, path, heading)
  }

  it('differ in a list by the shape of their marks', async () => {
    const { page } = await visitPage('tunnels', /^Tunnels 5/)
    const marks = await Promise.all(
      STATES.map(async (state) => {
        const row = page.getByRole('row', { name: new RegExp(names[state]) })
        // Of the monitoring: below it can stand what is configured and what is on the host.
        const badge = row.locator('.value [data-state]')
        // Large enough that it does not matter where between two pixels it begins.
        await badge.locator('svg').evaluate((mark) => mark.style.setProperty('zoom', '4'))
        const picture = await pictureOf(badge.locator('svg'))
        assert.ok(!isColoured(await pictureOf(badge)), 'nothing is coloured')
        return { state, ink: inkOf(picture) }
      }),
    )
    for (const [at, one] of marks.entries()) {
      for (const other of marks.slice(at + 1)) {
        const pixels = one.ink.flatMap((row, y) => row.map((is, x) => is !== (other.ink[y]?.[x] ?? false)))
        const difference = pixels.filter((is) => is).length / pixels.length
        assert.ok(
          difference >= LEAST_DIFFERENCE,
          `${one.state} and ${other.state} differ in ${Math.round(difference * 100)} % of their pixels\n${drawn(one.ink)}\n\n${drawn(other.ink)}`,
        )
      }
    }
  })

  it('differ in the bar of a history by their heights', async () => {
    const { tunnel_id } = await panel.up({ remote_endpoint: '198.51.100.6' })
    const start = Math.floor(Date.now() / 3_600_000) * 3600 - 2 * 3600
    await addBuckets(
      panel.db,
      STATES.flatMap((state, at) =>
        [0, 1].map((n) => ({
          ...emptyBucket(tunnel_id, start + (2 * at + n) * 300),
          sent_count: 5,
          received_count: 5,
          worst_severity: stateSeverity(state),
        })),
      ),
    )
    const { page } = await visitPage(`tunnels/${tunnel_id}/history`, /^gre-a-/)
    const bar = page.locator('.bar .plot > svg')
    const ink = inkOf(await pictureOf(bar))
    const left = (await bar.boundingBox())?.x ?? 0
    const middles = await bar
      .locator('rect')
      .evaluateAll((all) => all.map((one) => (({ left, right }) => (left + right) / 2)(one.getBoundingClientRect())))
    const heights = middles
      .slice(0, STATES.length)
      .map((x) => ink.filter((row) => row[Math.floor(x - left)]).length)
      .sort((a, b) => a - b)
    assert.equal(heights.length, STATES.length)
    for (const [at, height] of heights.entries())
      assert.ok(
        height - (heights[at - 1] ?? -LEAST_STEP_PX) >= LEAST_STEP_PX,
        `heights of ${heights.join(', ')} pixels\n${drawn(ink)}`,
      )
  })
})

const drawn = (ink: boolean[][]): string => ink.map((row) => row.map((is) => (is ? '█' : '·')).join('')).join('\n')
