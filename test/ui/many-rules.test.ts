// A thousand relay rules over many tunnels: their list in groups, and the picture of all of them.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browsing, DESKTOP, PHONE, type Look } from './support/browser.ts'
import { eachHost, goTo, scrollToEnd, signedIn, type Host } from './support/host.ts'
import { answerManyRules, MANY } from './support/many-rules.ts'
import { ledRelayHost } from './support/relays.ts'

/** A screen and a half. */
const SCREENS = 1.5
const LEAST_TEXT = 12

describe('A thousand relay rules', () => {
  const { visit } = browsing()
  let host: Host
  eachHost(ledRelayHost, (made) => ({ host } = made))

  const visitMany = async (path: string, heading: RegExp, tunnels: number, look: Look = {}): Promise<Page> => {
    const visited = await signedIn(await visit(host, look))
    await answerManyRules(visited.page, tunnels, 1)
    return (await goTo(visited, host, path, heading)).page
  }

  for (const [tunnels, viewport] of [
    [5, DESKTOP],
    [120, DESKTOP],
    [1000, DESKTOP],
    [1000, PHONE],
  ] as const)
    it(`are no more than a screen and a half in the picture, with text to read: ${tunnels} tunnels, ${viewport.width} px`, async () => {
      const page = await visitMany('', /Overview/, tunnels, { viewport })
      await scrollToEnd(page)
      const map = page.getByRole('region', { name: 'All relay rules' })
      await map.getByRole('button').first().waitFor()
      const { height, width } = (await map.boundingBox()) ?? assert.fail()
      assert.ok(height <= SCREENS * viewport.height && width <= viewport.width, `${height} x ${width}`)
      assert.match(
        await map.getByRole('button').first().innerText(),
        tunnels < 10 ? /gre-1\s/ : /gre-10\s.*Relays nothing/s,
      )
      await map.getByRole('button').first().click()
      await map.getByRole('list').nth(1).waitFor()
      assert.deepEqual(await smallText(page), [])
    })

  it('are in groups as swiftly as without, and drawn only as far as they are in view', async () => {
    const page = await visitMany('routes', /^Relay rules 1,000/, 120)
    await page.getByRole('button', { name: 'Groups and views', exact: true }).click()
    await page
      .getByRole('group', { name: 'Groups and views', exact: true })
      .getByRole('button', { name: 'Tunnel', exact: true })
      .click()
    await page.keyboard.press('Escape')
    await page.locator('tr.group').first().waitFor()
    assert.match(await page.locator('tr.group').first().innerText(), /gre-10\s+9 relay rules\s+9 Relays nothing/)
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), `${MANY + 120 + 1}`)
    for (let at = 0; ; at += 1500) {
      const end = await page.evaluate((y) => (scrollTo(0, y), y > document.documentElement.scrollHeight), at)
      const { rows, gap } = await inView(page)
      assert.ok(rows > 0 && rows < 100, `${rows} at ${at}`)
      assert.equal(gap, 0, `at ${at}`)
      if (end) break
    }
    assert.equal(await page.locator('tr.line').last().getAttribute('aria-rowindex'), `${MANY + 120 + 1}`)
    await page.evaluate(() => scrollTo(0, 0))
    await page.getByRole('searchbox').fill('tunnel:gre-20')
    await page.waitForFunction(() => document.querySelectorAll('tr.group').length === 1)
    await page.getByRole('checkbox', { name: 'Select all in Frankfurt · gre-20' }).check()
    await page.getByText('Selected: 9 relay rules').waitFor()
    await page.getByRole('checkbox', { name: 'Select all in Frankfurt · gre-20' }).uncheck()
    await page.getByRole('searchbox').fill('')
  })
})

/** Two frames from now: how many rows are drawn, and how much of the window between head and foot of the list has none. */
const inView = (page: Page): Promise<{ rows: number; gap: number }> =>
  page.evaluate(async () => {
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
    const rows = [...document.querySelectorAll('tbody tr.line')].map((row) => row.getBoundingClientRect())
    const all = document.querySelector('tbody')?.getBoundingClientRect()
    const head = document.querySelector('thead th')?.getBoundingClientRect()
    const [first, last] = [rows[0], rows.at(-1)]
    if (!all || !head || !first || !last) throw new Error('there is no list')
    const above = Math.max(0, first.top - Math.max(all.top, head.bottom))
    const below = Math.max(0, Math.min(all.bottom, innerHeight) - last.bottom)
    return { rows: rows.length, gap: Math.round(above + below) }
  })

/** The texts of the picture of all rules that are too small to read. */
const smallText = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const texts = [...document.querySelectorAll('[aria-labelledby=map-title] :is(bdi, span, h2, p, a)')]
    if (texts.length === 0) throw new Error('there is no picture')
    return texts.flatMap((one) => {
      const size = Number.parseFloat(getComputedStyle(one).fontSize)
      return size < least ? [`${one.textContent} ${size}`] : []
    })
  }, LEAST_TEXT)
