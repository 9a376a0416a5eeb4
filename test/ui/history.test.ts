// The history of a tunnel on the page: one uptime whatever the span, one axis for all that is drawn, and one crosshair.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { createTunnel } from '../api/support/tunnels.ts'
import { browsing, PHONE, type Look } from './support/browser.ts'
import { goTo, signedIn, startHost, type Host } from './support/host.ts'
import { BREAK, giveHistory, type StartOf } from './support/past.ts'

describe('The history of a tunnel on the page', () => {
  const { visit } = browsing()
  let host: Host
  let startOf: StartOf
  beforeEach(async () => {
    host = await startHost()
    await createTunnel(await host.setUp())
    startOf = await giveHistory(host, 1)
  })
  afterEach(() => host.close())

  const visitHistory = async (look?: Look): Promise<Page> => {
    const visited = await visit(host, look)
    await visited.page.addInitScript(noteTexts)
    await goTo(await signedIn(visited), host, 'tunnels/1/history', /gre-a-1/)
    await visited.page.locator('.u-over').nth(1).waitFor()
    return visited.page
  }
  const span = async (page: Page, name: string): Promise<void> => {
    await page.evaluate(() => void (globalThis as Drawn).drawn?.splice(0))
    await page.getByRole('button', { name, exact: true }).click()
    await page.waitForFunction(() => ((globalThis as Drawn).drawn?.length ?? 0) > 8)
  }
  /** Left end and width, in pixels. */
  const boxOf = async (piece: Locator): Promise<{ x: number; width: number }> =>
    (await piece.boundingBox()) ?? assert.fail('it is not drawn')
  const plots = (page: Page): Locator => page.locator('.plot > [role]')
  /** The place of the crosshair on each plot. */
  const crosses = async (page: Page): Promise<number[]> =>
    Promise.all((await page.locator('[data-crosshair]').all()).map(async (line) => (await boxOf(line)).x))

  it('says the same uptime of one day in every span, and what was not monitored', async () => {
    const page = await visitHistory()
    const uptimes = []
    for (const name of ['7 days', '30 days', '1 day']) {
      await span(page, name)
      uptimes.push(await page.locator('[data-uptime]').textContent())
    }
    assert.deepEqual(uptimes, Array(3).fill('Uptime 97.91\u00a0%'))
    await page.getByText(/^Down 30 mins?$/).waitFor()
    await span(page, '30 days')
    await page.getByText(/Not monitored for 29 d/).waitFor()
  })

  it('spans what was chosen, with dates, though one day of it is stored', async () => {
    const page = await visitHistory()
    const labels = (): Promise<string[]> => page.evaluate(() => [...new Set((globalThis as Drawn).drawn)])
    const dates = async (): Promise<string[]> => (await labels()).filter((text) => /^\d+ \w{3}$|^\w{3} \d+$/.test(text))
    const times = async (): Promise<string[]> => (await labels()).filter((text) => /^\d\d:\d\d/.test(text))
    await span(page, '1 hr')
    assert.equal((await dates()).length >= 1 && (await times()).length > 3, true, (await labels()).join())
    await span(page, '7 days')
    assert.ok((await dates()).length >= 5, (await labels()).join())
    await span(page, '30 days')
    assert.ok((await dates()).length >= 5, (await labels()).join())
    assert.deepEqual(await times(), [])
  })

  for (const [device, look] of [
    ['a desktop', {}],
    ['a phone', { viewport: PHONE }],
  ] as const)
    it(`has the bar of states on the axis of the plots, to the pixel, on ${device}`, async () => {
      const page = await visitHistory(look)
      const [rtt, loss] = await Promise.all([0, 1].map((at) => boxOf(page.locator('.u-over').nth(at))))
      const bar = await boxOf(page.locator('.bar .plot > svg'))
      for (const other of [loss, bar, ...(await Promise.all((await plots(page).all()).map(boxOf)))])
        for (const side of ['x', 'width'] as const)
          assert.ok(Math.abs(other![side] - rtt![side]) <= 0.5, `${side}: ${other![side]} beside ${rtt![side]}`)
      const down = await boxOf(page.locator('.bar rect.down'))
      const to = Math.ceil(Date.now() / 60_000) * 60
      const pixelOf = (time: number): number => bar.x + (bar.width * (time - (to - 86_400))) / 86_400
      // Points of five minutes; the axis may have gone on by a minute.
      const from = Math.floor(startOf(BREAK.from) / 300) * 300
      const pixels = (bar.width * 60) / 86_400 + 0.5
      assert.ok(Math.abs(down.x - pixelOf(from)) <= pixels, `${down.x} where ${pixelOf(from)} is due`)
    })

  it('shows time and values of one instant on all plots at once, by pointer and by keyboard', async () => {
    const page = await visitHistory()
    const box = await boxOf(page.locator('.bar rect.down'))
    const rtt = page.getByRole('slider', { name: 'Round trip' })
    const over = (await rtt.boundingBox()) ?? assert.fail()
    await page.mouse.move(box.x + box.width / 2, over.y + over.height / 2)
    const [first, ...others] = await crosses(page)
    assert.equal(others.length, 3)
    for (const other of others) assert.ok(Math.abs(other - first!) <= 0.5, `${first} and ${others.join()}`)
    const tips = await page.locator('.tip').allInnerTexts()
    assert.match(tips[0] ?? '', /\d\d:\d\d[\s\S]*Mean –[\s\S]*Largest –/)
    assert.match(await page.locator('[data-state-at]').innerText(), /Down.*\d\d:\d\d/s)
    assert.match(tips[1] ?? '', /\d\d:\d\d[\s\S]*Received 0\sB\/s[\s\S]*Sent 0\sB\/s/)
    assert.match(tips[2] ?? '', /\d\d:\d\d[\s\S]*Loss 100\s%/)
    assert.equal(new Set(tips.map((text) => text.split('\n')[0])).size, 1)
    await page.mouse.move(0, 0)
    assert.deepEqual(await crosses(page), [])

    await rtt.focus()
    await page.keyboard.press('Home')
    const [start] = await crosses(page)
    await page.keyboard.press('PageUp')
    const [later, ...rest] = await crosses(page)
    assert.ok(later! > start!, `${later} after ${start}`)
    for (const other of rest) assert.ok(Math.abs(other - later!) <= 0.5)
    assert.match((await rtt.getAttribute('aria-valuetext')) ?? '', /\d\d:\d\d.*: Mean .*\sms, Largest .*\sms/)
    await page.keyboard.press('Escape')
    assert.deepEqual(await crosses(page), [])
  })
})

type Drawn = typeof globalThis & { drawn?: string[] }

/** Runs in the browser: what charts write. */
const noteTexts = (): void => {
  const drawn: string[] = ((globalThis as Drawn).drawn = [])
  const { fillText } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
    drawn.push(text)
    return fillText.call(this, text, ...where)
  }
}
