// How the page looks and is used: without colour, on a desktop, in the dark, by keyboard.
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { createRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { PHONE } from './support/browser.ts'
import { giveWebhook, type Host, scrollToEnd, seen } from './support/host.ts'
import { halfWidth, spacedPunctuation } from './support/punctuation.ts'
import { tunnelVisits } from './support/tunnel-visits.ts'

describe('The look of the page', () => {
  let host: Host
  let client: Client
  const { visit, visitSignedIn, visitTunnels } = tunnelVisits((made) => ({ host, client } = made))

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
    // It is spoken, and takes no room.
    assert.ok(((await button.locator('.badge > span').boundingBox())?.width ?? 0) <= 1)
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
    await createRoute(client, {
      route_rule_title: 'A rule with a name of many words',
      bind_port: 27_000,
      bind_port_range_end: 27_010,
    })
    for (const language of ['en', 'ru', 'zh-CN', 'fa']) {
      await client.put('/settings', { 'display.language': language })
      for (const path of ['tunnels', 'routes', 'reconcile', 'pools', 'audit']) {
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

  it('has the head of every column above what stands in it, and the menus of rows below one another', async () => {
    await createRoute(client, { route_rule_title: 'Shadowed by the web shop' })
    await createRoute(client, { route_rule_title: 'Web', bind_port: 8443 })
    const { page } = await visitSignedIn({ viewport: { width: 1280, height: 800 } })
    for (const path of ['tunnels', 'routes', 'pools', 'audit', 'host/routes', 'reconcile']) {
      await page.goto(host.base + path)
      await page.locator('main table').first().waitFor()
      assert.deepEqual(await page.locator('main .frame > table').evaluateAll(shiftedHeads), [], path)
      const menus = await page
        .locator('main .line button[popovertarget]')
        .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)))
      assert.ok(new Set(menus).size <= 1, `${path}: menus at ${menus.join(', ')}`)
    }
  })

  it('has the heading of a dialog where its text begins, from right to left too', async () => {
    const { page } = await visitSignedIn()
    for (const [language, edge] of [
      ['en', 'left'],
      ['fa', 'right'],
    ] as const) {
      await client.put('/settings', { 'display.language': language })
      await page.goto(host.base + 'tunnels')
      await page.locator('h1').waitFor()
      await page.keyboard.press('?')
      const [heading, text] = await page
        .locator('dialog h2, dialog header + div > :first-child')
        .evaluateAll((all, side) => all.map((one) => Math.round(one.getBoundingClientRect()[side])), edge)
      assert.equal(heading, text, language)
      await page.keyboard.press('Escape')
    }
  })

  it('shows the whole of a choice about checks, and the address of a target on one line, on a small desktop', async () => {
    await createRoute(client)
    await giveWebhook(client)
    const { page } = await visitSignedIn({ viewport: { width: 1280, height: 800 } })
    for (const language of ['en', 'fa', 'zh-CN', 'ru']) {
      await client.put('/settings', { 'display.language': language })
      await page.goto(host.base + 'routes/1')
      await page.locator('h1').waitFor()
      await scrollToEnd(page)
      await page.locator('[data-checks] button').first().click()
      await page.locator('[name=on_all_down]').waitFor()
      assert.deepEqual(await page.locator('[data-checks] select').evaluateAll(cutSelects), [], language)
      await page.goto(host.base + 'webhooks')
      const address = page.getByText('smtps://mail.example.net')
      await address.waitFor()
      assert.equal(await address.evaluate((one) => one.getClientRects().length), 1, language)
    }
  })

  it('has full-width punctuation in Chinese and no space after it, where two texts meet', async () => {
    await createRoute(client)
    await createRoute(client, { route_rule_title: 'Never matches', bind_address: '0.0.0.0' })
    await host.metrics.start()
    await host.monitor.start()
    const { page } = await visitSignedIn()
    await client.put('/settings', { 'display.language': 'zh-CN' })
    for (const path of [
      '',
      'tunnels',
      'reconcile',
      'routes/1',
      'routes/new',
      'metrics',
      'settings',
      'system',
      'account',
    ]) {
      await page.goto(host.base + path)
      await page.locator('main h2').first().waitFor()
      await scrollToEnd(page)
      await page.waitForLoadState('networkidle', { timeout: 800 }).catch(() => undefined)
      assert.deepEqual(await spacedPunctuation(page), [], path || 'the overview')
      assert.deepEqual(await halfWidth(page), [], path || 'the overview')
      assert.deepEqual(await page.locator('.offer').evaluateAll(gluedOffers), [], path || 'the overview')
    }
    host.kernel.rulesets.unreadable = 'Operation not permitted'
    await page.goto(host.base + 'reconcile')
    await page.locator('main .banner').getByText('Operation not permitted').waitFor()
    assert.deepEqual(await spacedPunctuation(page), [], 'without the rules of the kernel')
  })

  it('has the title of a column above what it is of, and those of the overview on one line, on a small desktop', async () => {
    const { page } = await visitTunnels({ viewport: { width: 1280, height: 800 } })
    for (const path of ['tunnels', 'pools', 'audit', 'host', 'host/routes']) {
      await page.goto(host.base + path)
      await page.locator('main tbody .cell').first().waitFor()
      assert.deepEqual(await page.locator('main table').evaluateAll(shiftedTitles), [], path)
      if (path === 'audit') assert.deepEqual(await page.locator('main tbody .cell').evaluateAll(lowCells), [], path)
    }
    await page.goto(host.base)
    const titles = page.locator('.tile h2')
    await titles.nth(3).waitFor()
    const middles = await titles.evaluateAll((all) =>
      all.map((one) => {
        const words = document.createRange()
        words.selectNodeContents(one)
        return words.getBoundingClientRect().top + words.getBoundingClientRect().height / 2
      }),
    )
    assert.ok(Math.max(...middles) - Math.min(...middles) <= 1, middles.join(' '))
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
    const { page } = await visit()
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
    await page.getByRole('option', { name: /^Frankfurt · gre-a-2 Tunnel/ }).waitFor()
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

/** Runs in the browser: the heads of columns that begin, or end, elsewhere than the cells below them. */
const shiftedHeads = (tables: Element[]): string[] =>
  tables.flatMap((table) =>
    [...table.querySelectorAll(':scope > thead th')].flatMap((head) => {
      const cell = table.querySelector(
        `:scope > tbody .line > :nth-child(${[...head.parentElement!.children].indexOf(head) + 1})`,
      )
      const words = document.createRange()
      words.selectNodeContents(head.querySelector('button')?.firstChild ?? head)
      const [text, box] = [words.getBoundingClientRect(), (cell?.firstElementChild ?? cell)?.getBoundingClientRect()]
      const shift = head.classList.contains('number') ? text.right - (box?.right ?? 0) : text.left - (box?.left ?? 0)
      return Math.abs(shift) > 1 ? [`${head.textContent.trim()} by ${shift}`] : []
    }),
  )

/** Runs in the browser: what can be done about a sentence, where nothing parts it from the last word of that. */
const gluedOffers = (all: Element[]): string[] =>
  all.flatMap((one) => {
    const before = one.parentElement?.textContent.split(one.textContent)[0] ?? ''
    return /[^\s。：；，？！）”]$/u.test(before) ? [before + one.textContent] : []
  })

/** Runs in the browser: the choices that are wider than where they are chosen. */
const cutSelects = (all: Element[]): string[] =>
  all.flatMap((one) => {
    const free = one.cloneNode(true) as HTMLSelectElement
    free.style.cssText = 'position: absolute; inline-size: auto; min-inline-size: 0'
    one.after(free)
    const isCut = free.offsetWidth > one.getBoundingClientRect().width + 1
    free.remove()
    return isCut ? [free.name] : []
  })

/** Runs in the browser: the titles of columns whose words begin, or for numbers end, elsewhere than what is below. */
const shiftedTitles = (tables: Element[]): string[] =>
  tables.flatMap((table) => {
    const cells = [...table.querySelectorAll('tbody tr:first-child > *')]
    return [...table.querySelectorAll('thead tr > *')].flatMap((title, at) => {
      const below = cells[at]
      if (below === undefined || below.querySelector('button, svg, input') || title.textContent === '') return []
      const [of = 0, its = 0] = [title, below].map((cell) => {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT, (text) =>
          (text.textContent ?? '').trim() === '' ? NodeFilter.FILTER_SKIP : NodeFilter.FILTER_ACCEPT,
        )
        const words = document.createRange()
        words.selectNodeContents(walker.nextNode() ?? cell)
        const { left, right } = words.getBoundingClientRect()
        return cell.matches('.number') ? right : left
      })
      return Math.abs(of - its) > 1 ? [title.textContent] : []
    })
  })

/** Runs in the browser: cells whose first line is more than a pixel lower or higher than that of the first in its row. */
const lowCells = (cells: Element[]): string[] => {
  const rows = new Map<Element | null, number>()
  return cells.flatMap((cell) => {
    const words = document.createRange()
    words.selectNodeContents(
      document
        .createTreeWalker(cell, NodeFilter.SHOW_TEXT, (text) =>
          (text.textContent ?? '').trim() === '' ? NodeFilter.FILTER_SKIP : NodeFilter.FILTER_ACCEPT,
        )
        .nextNode() ?? cell,
    )
    const { top = 0, height = 0 } = words.getClientRects()[0] ?? {}
    const row = cell.closest('tr')
    const middle = rows.get(row) ?? top + height / 2
    rows.set(row, middle)
    return Math.abs(top + height / 2 - middle) > 1 ? [cell.textContent] : []
  })
}

/** Runs in the browser: what the keyboard is on, by its label or text, and how thick the line around it is. */
const focused = (): string => {
  const at = document.activeElement as HTMLInputElement
  const name = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? ''
  return `${name.trim()}, outlined ${getComputedStyle(at).outlineWidth}`
}
