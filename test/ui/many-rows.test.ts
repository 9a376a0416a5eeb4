// A list of more rows than are drawn at once: whatever is in view is there, however it got into view.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { madeRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { browsing, DESKTOP, PHONE, type Look } from './support/browser.ts'
import { goTo, signedIn, startHost, type Host } from './support/host.ts'
import { chooseColumns, cutCells, linesOfRows, wholeRows } from './support/lists.ts'

const MANY = 150
const IPV6 = '2001:db8:aaaa:bbbb:cccc:dddd:eeee'
type Path = 'tunnels' | 'routes'

describe('A list of more rows than are drawn', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  before(async () => {
    host = await startHost()
    client = await host.setUp()
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

  const list = async (path: Path = 'tunnels', viewport: Look['viewport'] = DESKTOP): Promise<Page> =>
    (await goTo(await signedIn(await visit(host, { viewport })), host, `${path}?sort=name`, / 15\d$/)).page
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
      assert.ok((await widthOf(page)) <= width)
    }
  })

  it('is scrolled sideways by itself if its columns do not fit, with what the keyboard reaches in view', async () => {
    const page = await list('routes')
    const isWide = () => page.locator('main .frame').evaluate((frame) => frame.scrollWidth > frame.clientWidth)
    const added = ['Tags', '#', 'Open connections', 'Kernel, since boot', 'Panel, in total']
    assert.equal(await isWide(), false)
    await chooseColumns(page, added)
    for (const language of ['en', 'fa']) {
      await client.put('/settings', { 'display.language': language })
      await page.reload()
      const menu = page.locator('tbody .actions button').first()
      await menu.focus()
      const [{ x, width }, frame] = [await boxOf(page, 'tbody .actions button'), await boxOf(page, 'main .frame')]
      assert.ok(x >= frame.x && x + width <= frame.x + frame.width, `${language}: ${x}`)
      assert.equal(await isWide(), true, language)
      assert.equal(await widthOf(page), 1280, language)
      assert.deepEqual([...new Set(await linesOfRows(page))], [1], language)
    }
    await client.put('/settings', { 'display.language': 'en' })
    await page.reload()
    await chooseColumns(page, added)
    assert.equal(await isWide(), false)
    await page.evaluate(() => scrollTo(0, 1000))
    assert.equal((await drawn(page)).gap, 0)
    await page.evaluate(() => scrollTo(0, 0))
  })

  it('keeps a row on one line whatever the language, beside rows of full-length IPv6 endpoints', async () => {
    await createTunnel(client, {
      tunnel_type_id: 30,
      interface_name: 'across-six',
      local_endpoint: '2001:db8::1',
      remote_endpoint: `${IPV6}:ffff`,
      address_pool_id: 20,
    })
    await madeRoute(client, {
      route_rule_title: 'Across',
      bind_address: `${IPV6}:fff1`,
      bind_port: 20_000,
      destination_address: `${IPV6}:fff2`,
      destination_port: 20_000,
    })
    // Shadowed by the first, which is the state of the most words.
    await madeRoute(client, { route_rule_title: 'Beaten', bind_port: 8001 })
    for (const path of ['tunnels', 'routes'] as const) {
      const page = await list(path)
      for (const language of ['en', 'fa', 'ru', 'zh-CN']) {
        await client.put('/settings', { 'display.language': language })
        await page.reload()
        await page.getByText(IPV6).first().waitFor()
        const at = `${path} in ${language}`
        const [six = 0, ...others] = await linesOfRows(page)
        assert.ok(six <= 3, `${at}: ${six}`)
        assert.deepEqual([...new Set(others)], [1], at)
        assert.deepEqual(await cutCells(page), [], at)
        assert.equal(await widthOf(page), 1280, at)
      }
      await client.put('/settings', { 'display.language': 'en' })
    }
  })
})

const widthOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth)
const boxOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox()) ?? assert.fail(selector)

/** Runs in the browser: scrolls on until a row begins below the heads of the columns. */
const beginWithRow = (): void => {
  const below = document.querySelector('thead th')?.getBoundingClientRect().bottom ?? 0
  const tops = [...document.querySelectorAll('tbody tr.line')].map((row) => row.getBoundingClientRect().top - below)
  scrollBy(0, tops.find((top) => top >= 0) ?? 0)
}
