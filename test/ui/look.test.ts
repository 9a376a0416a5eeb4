// How the page looks and is used: without colour, on a phone, in the dark, by keyboard.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, seen, signedIn, tunnelHost } from './support/host.ts'

describe('The look of the page', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(tunnelHost, (made) => ({ host, client } = made))

  const visitTunnels = async (look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, 'tunnels', /^Tunnels 4/)

  it('tells states apart by shape and word, not by colour alone', async () => {
    const { page } = await visitTunnels()
    for (const state of ['disabled', 'down', 'unknown', 'up'])
      await page.locator(`td [data-state=${state}]`).first().waitFor()
    const marks = await page
      .locator('td [data-state]')
      .evaluateAll((all) =>
        all.map((one) => [
          one.getAttribute('data-state'),
          one.textContent,
          one.querySelector('path')?.getAttribute('d'),
        ]),
      )
    const shapes = new Map(marks.map(([state, , outline]) => [state, outline]))
    assert.deepEqual([...shapes.keys()].sort(), ['disabled', 'down', 'unknown', 'up'])
    assert.equal(new Set(shapes.values()).size, shapes.size)
    for (const [state, , outline] of marks) assert.equal(outline, shapes.get(state))
    assert.ok(marks.every(([, word]) => (word ?? '').trim() !== ''))
  })

  it('names each part of the panel in the menu of its health, on a phone too', async () => {
    const { page } = await visitTunnels({ viewport: PHONE })
    const button = page.getByRole('button', { name: /^State of the panel/ })
    await button.click()
    const menu = page.getByRole('group', { name: 'State of the panel' })
    for (const part of ['Database', 'Root helper', 'Monitoring'])
      await menu.getByText(part, { exact: true }).waitFor({ state: 'visible' })
    assert.equal(await button.locator('.badge > span').isVisible(), false)
  })

  it('has every table within its card on a small desktop, in each language', async () => {
    const { page } = await visitTunnels({ viewport: { width: 1280, height: 800 } })
    await createTunnel(client, {
      interface_name: 'long-name-gre-6',
      local_endpoint: '2001:db8::1',
      remote_endpoint: '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff',
    })
    await host.monitor.start()
    await host.kernel.links.setMtu('long-name-gre-6', 1400)
    for (const language of ['en', 'ru', 'zh-CN', 'fa']) {
      await client.put('/settings', { 'display.language': language })
      for (const path of ['tunnels', 'reconcile', 'pools', 'audit']) {
        await page.goto(host.base + path)
        await page.locator('main table').first().waitFor()
        const over = await page.locator('main table').evaluateAll((tables) =>
          tables.map((table) => {
            const [inner, card] = [table.getBoundingClientRect(), table.parentElement?.getBoundingClientRect()]
            return Math.round(Math.max(inner.right - (card?.right ?? 0), (card?.left ?? 0) - inner.left))
          }),
        )
        assert.deepEqual(
          over.filter((pixels) => pixels > 0),
          [],
          `${path} in ${language}`,
        )
      }
    }
  })

  it('never breaks the name of an interface at its hyphens, however narrow the page is', async () => {
    const name = 'gre-tokyo'
    await createTunnel(client, { interface_name: name, remote_endpoint: '198.51.100.77' })
    host.kernel.held.delete(name)
    await host.monitor.start()
    const { page } = await goTo(await signedIn(await visit(host, { viewport: PHONE })), host, 'tunnels', /^Tunnels 5/)
    for (const path of ['', 'tunnels', 'reconcile']) {
      await page.goto(host.base + path)
      await page.locator('main').getByText(name).first().waitFor()
      for (let width = 320; width <= 420; width += 10) {
        await page.setViewportSize({ width, height: 800 })
        assert.deepEqual(await brokenNames(page, name), [], `on ${path || 'the overview'} at ${width}`)
      }
    }
  })

  /** The texts in which the name stands on two lines. */
  const brokenNames = (page: Page, name: string): Promise<string[]> =>
    page.evaluate((wanted) => {
      const found: string[] = []
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const whole = text.textContent ?? ''
        const at = whole.indexOf(wanted)
        if (at < 0) continue
        const range = document.createRange()
        range.setStart(text, at)
        range.setEnd(text, at + wanted.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(whole)
      }
      return found
    }, name)

  it('has no sideways scroll on a phone, and targets that a thumb hits', async () => {
    const visit = await visitTunnels({ viewport: PHONE })
    const { page } = visit
    for (const path of ['tunnels', '', 'account']) {
      await goTo(visit, host, path, /./)
      for (const width of [PHONE.width, 320]) {
        await page.setViewportSize({ ...PHONE, width })
        assert.ok(
          (await page.evaluate(() => document.documentElement.scrollWidth)) <= width,
          `${path} is wider than ${width}`,
        )
      }
    }
    await goTo(visit, host, 'tunnels', /./)
    const heights = await page
      .locator('main .button, header button, nav.bottom a, nav.bottom button')
      .evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility())
          .map((one) => [one.textContent, one.getBoundingClientRect().height] as const),
      )
    assert.ok(heights.length > 5)
    for (const [name, height] of heights) assert.ok(height >= 44, `${name} is ${height} px high`)
  })

  it("is dark where the operator's machine is", async () => {
    const { page } = await visitTunnels({ colorScheme: 'dark' })
    const colours = await page.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.body).color,
    ])
    const [paper, ink] = colours.map((colour) => Math.max(...(colour.match(/\d+/g) ?? []).map(Number)))
    assert.ok(Number(paper) < 60 && Number(ink) > 200, `${colours}`)
  })

  it('shows where the keyboard is, in the order of reading', async () => {
    const { page } = await visit(host)
    await seen(page, 'Sign in')
    const stops: string[] = []
    for (let n = 0; n < 6; n++) {
      await page.keyboard.press('Tab')
      stops.push(await page.evaluate(focused))
    }
    assert.deepEqual(
      stops,
      ['Language', 'Colours', 'Username', 'Password', 'Show the password', 'Sign in'].map(
        (name) => `${name}, outlined 3px`,
      ),
    )
  })

  it('can be gone through by keys: past the navigation, to any page or tunnel by name, to what the keys are, and back', async () => {
    const { page } = await visitTunnels()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(focused), 'Skip to content, outlined 3px')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'MAIN')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('frankf')
    await page.getByRole('option', { name: /gre-a-2/ }).waitFor()
    await page.getByRole('dialog').getByRole('combobox').fill('overv')
    await page.keyboard.press('Enter')
    await seen(page, 'Overview')
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
  })
})

/** Runs in the browser: what the keyboard is on, by its label or text, and how thick the line around it is. */
const focused = (): string => {
  const at = document.activeElement as HTMLInputElement
  const name = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? ''
  return `${name.trim()}, outlined ${getComputedStyle(at).outlineWidth}`
}
