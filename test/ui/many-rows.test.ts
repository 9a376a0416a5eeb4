// A list of more rows than are drawn at once: whatever is in view is there, however it got into view.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { madeRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { browsing, DESKTOP, PHONE, type Look } from './support/browser.ts'
import { goTo, signedIn, startHost, type Host } from './support/host.ts'
import { cutCells, linesOfRows, wholeRows } from './support/lists.ts'

const MANY = 150

describe('A list of more rows than are drawn', () => {
  const { visit } = browsing()
  let host: Host
  before(async () => {
    host = await startHost()
    const client = await host.setUp()
    for (let n = 1; n <= MANY; n++)
      await createTunnel(client, { remote_endpoint: `198.18.0.${n}`, address_pool_id: 20 })
    host.kernel.hostRoutes.push(fakeRoute('10.9.0.0/24', 'gre-a-1'))
    for (let n = 1; n <= MANY; n++)
      await madeRoute(client, {
        route_rule_title: `Customer ${n} by a name that is longer than its column`,
        bind_address: '0.0.0.0',
        bind_port: 8000 + n,
        destination_address: `10.9.0.${n}`,
        tunnel_id: 1,
      })
  })
  after(() => host.close())

  const list = async (path: 'tunnels' | 'routes' = 'tunnels', viewport: Look['viewport'] = DESKTOP): Promise<Page> =>
    (await goTo(await signedIn(await visit(host, { viewport })), host, `${path}?sort=name`, /150$/)).page
  /**
   * Two frames from now: the names of the rows that are drawn, and how much of the window below the head and above the
   * foot of the list has no row.
   */
  const drawn = (page: Page): Promise<{ names: string[]; gap: number }> =>
    page.evaluate(async () => {
      for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
      const [all, rows] = [
        document.querySelector('tbody')?.getBoundingClientRect(),
        [...document.querySelectorAll('tbody tr.line')],
      ]
      const [first, last] = [rows[0]?.getBoundingClientRect(), rows.at(-1)?.getBoundingClientRect()]
      const head = document.querySelector('thead th')?.getBoundingClientRect()
      if (!all || !first || !last || !head) throw new Error('there is no list')
      const gap =
        Math.max(0, first.top - Math.max(all.top, head.bottom)) +
        Math.max(0, Math.min(all.bottom, innerHeight) - last.bottom)
      return { names: rows.map((row) => row.querySelector('a')?.textContent ?? ''), gap: Math.round(gap) }
    })
  const type = (page: Page, text: string): Promise<void> => page.getByRole('searchbox').fill(text)

  it('says how many there are, and draws those in view and some around them', async () => {
    const page = await list()
    const { names, gap } = await drawn(page)
    assert.ok(names.length < 50 && names[0] === 'gre-a-1', names.join(' '))
    assert.deepEqual([gap, await page.getByRole('table').getAttribute('aria-rowcount')], [0, String(MANY + 1)])
  })

  it('has every row as one scrolls, down to the last and up again', async () => {
    const page = await list()
    const met = new Set<string>()
    for (let at = 0; ; at += 500) {
      const end = await page.evaluate((y) => (scrollTo(0, y), y > document.documentElement.scrollHeight), at)
      const { names, gap } = await drawn(page)
      assert.equal(gap, 0, `at ${at}`)
      for (const name of names) met.add(name)
      if (end) break
    }
    assert.equal(met.size, MANY)
    await page.evaluate(() => scrollTo(0, 0))
    assert.deepEqual([(await drawn(page)).gap, (await drawn(page)).names[0]], [0, 'gre-a-1'])
  })

  it('has the rows of a search with each key, and of its end when it is taken back', async () => {
    const page = await list()
    for (const text of ['gre', 'gre-a-1', 'gre-a-14', '', '198.18', '']) {
      await type(page, text)
      const { names, gap } = await drawn(page)
      assert.equal(gap, 0, text)
      assert.ok(
        names.length > 8 && names.every((name) => name.startsWith(text.startsWith('gre') ? text : 'gre-a-')),
        `${text}: ${names.join(' ')}`,
      )
    }
  })

  it('shows the found ones where one has scrolled far and then searches', async () => {
    const page = await list()
    await page.evaluate(() => scrollTo(0, 6000))
    await page.keyboard.press('/')
    await page.keyboard.type('198')
    assert.equal((await drawn(page)).gap, 0)
    await type(page, 'gre-a-7')
    const { names, gap } = await drawn(page)
    assert.deepEqual([gap, names], [0, ['gre-a-7', ...Array.from({ length: 10 }, (_, n) => `gre-a-7${n}`)]])
  })

  for (const path of ['tunnels', 'routes'] as const)
    it(`has thirty whole rows at 1280 x 800, and cuts off no port, destination or tunnel: ${path}`, async () => {
      const page = await list(path)
      await page.evaluate(() => scrollTo(0, 1000))
      await drawn(page)
      await page.evaluate(beginWithRow)
      assert.equal((await drawn(page)).gap, 0)
      const whole = await wholeRows(page)
      assert.ok(whole >= 30, `${whole}`)
      // The rows below a head that stays are not for axe to measure.
      await page.evaluate(() => scrollTo(0, 0))
      for (const width of [1280, 1024]) {
        await page.setViewportSize({ width, height: 800 })
        await drawn(page)
        assert.deepEqual(await cutCells(page), [], `at ${width}`)
        assert.deepEqual([...new Set(await linesOfRows(page))], [1], `at ${width}`)
      }
    })

  it('has two lines a rule on a phone', async () => {
    const page = await list('routes', PHONE)
    for (const width of [PHONE.width, 360]) {
      await page.setViewportSize({ ...PHONE, width })
      await drawn(page)
      assert.deepEqual([...new Set(await linesOfRows(page))], [2], `at ${width}`)
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width)
    }
  })
})

/** Runs in the browser: scrolls on until a row begins below the heads of the columns. */
const beginWithRow = (): void => {
  const below = document.querySelector('thead th')?.getBoundingClientRect().bottom ?? 0
  const tops = [...document.querySelectorAll('tbody tr.line')].map((row) => row.getBoundingClientRect().top - below)
  scrollBy(0, tops.find((top) => top >= 0) ?? 0)
}
