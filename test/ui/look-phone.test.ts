// How the page looks on a phone, however narrow it is.
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { createRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { brokenFigures, brokenNames } from './support/broken-names.ts'
import { PHONE } from './support/browser.ts'
import { goTo, type Host, scrollToEnd } from './support/host.ts'
import { giveTraffic } from './support/past.ts'
import { tunnelVisits } from './support/tunnel-visits.ts'

describe('The look of the page on a phone', () => {
  let host: Host
  let client: Client
  const { visitSignedIn, visitTunnels } = tunnelVisits((made) => ({ host, client } = made))

  it('never breaks the name of an interface at its hyphens, however narrow the page is', async () => {
    const name = 'gre-tokyo'
    await createTunnel(client, { interface_name: name, remote_endpoint: '198.51.100.77' })
    host.kernel.held.delete(name)
    await host.monitor.start()
    const { page } = await goTo(await visitSignedIn({ viewport: PHONE }), host, 'tunnels', /^Tunnels 5/)
    for (const path of ['', 'tunnels', 'reconcile']) {
      await page.goto(host.base + path)
      await page.locator('main').getByText(name).first().waitFor()
      for (let width = 320; width <= 420; width += 10) {
        await page.setViewportSize({ width, height: 800 })
        assert.deepEqual(await brokenNames(page, name), [], `on ${path || 'the overview'} at ${width}`)
      }
    }
  })

  it('keeps a range of ports, and the arrow to the far end, with what they belong to on a narrow page', async () => {
    await createTunnel(client, {
      interface_name: 'six',
      local_endpoint: '2001:db8::1',
      remote_endpoint: '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff',
    })
    await createRoute(client, { route_rule_title: 'Game', bind_port: 27000, bind_port_range_end: 27010 })
    const { page } = await visitSignedIn({ viewport: PHONE })
    await client.put('/settings', { 'display.language': 'fa' })
    for (const path of ['routes', 'routes/order']) {
      await page.goto(host.base + path)
      await page.locator('main').getByText('27000-27010').first().waitFor()
      for (let width = 320; width <= 420; width += 20) {
        await page.setViewportSize({ width, height: 800 })
        assert.deepEqual(await brokenNames(page, '27000-27010'), [], `on ${path} at ${width}`)
      }
    }
    await page.goto(host.base + 'tunnels')
    const far = page.locator('.far').filter({ hasText: 'eeee:' })
    await far.waitFor()
    const [arrow, address] = await far
      .locator('> span:first-child, bdi')
      .evaluateAll((all) => all.map((one) => one.getClientRects()[0]?.top ?? 0))
    assert.ok(Math.abs((arrow ?? 0) - (address ?? 0)) < 10)
  })

  it('has every button and label within its card on a phone, in each language', async () => {
    const { page } = await visitSignedIn({ viewport: { width: 360, height: 800 } })
    for (const language of ['en', 'fa', 'zh-CN', 'ru']) {
      await client.put('/settings', { 'display.language': language })
      for (const path of ['system', 'backup']) {
        await page.goto(host.base + path)
        await page.locator('main .card :is(.button, dd, label)').first().waitFor()
        const outside = await page.locator('main .card .button, main .card label').evaluateAll((all) =>
          all.flatMap((one) => {
            const [inner, card] = [one.getBoundingClientRect(), one.closest('.card')?.getBoundingClientRect()]
            return inner.right > (card?.right ?? 0) || inner.left < (card?.left ?? 0) ? [one.textContent] : []
          }),
        )
        assert.deepEqual(outside, [], `${path} in ${language}`)
      }
    }
  })

  it('has the question about a notification beside its box, and differences within their card, on a phone', async () => {
    const { page } = await visitSignedIn({ viewport: PHONE })
    await client.put('/settings', { 'display.language': 'ru' })
    await host.monitor.start()
    for (const width of [PHONE.width, 360]) {
      await page.setViewportSize({ ...PHONE, width })
      await page.goto(host.base + 'webhooks/new')
      await page.locator('form summary').click()
      await page.locator('fieldset label').first().waitFor()
      const above = await page.locator('fieldset label').evaluateAll((labels) =>
        labels.flatMap((label) => {
          const words = document.createRange()
          words.selectNodeContents(label.lastChild ?? label)
          const box = label.querySelector('input')?.getBoundingClientRect()
          return words.getBoundingClientRect().left < (box?.right ?? 0) ? [label.textContent] : []
        }),
      )
      assert.deepEqual(above, [], `at ${width}`)
      await page.goto(host.base + 'reconcile')
      await page.locator('.cell table').first().waitFor()
      const outside = await page.locator('.cell table').evaluateAll((tables) =>
        tables.flatMap((table) => {
          const [inner, cell] = [table.getBoundingClientRect(), table.closest('.cell')?.getBoundingClientRect()]
          return inner.right > (cell?.right ?? 0) + 0.5 ? [table.textContent] : []
        }),
      )
      assert.deepEqual(outside, [], `at ${width}`)
    }
  })

  it('gives a sentence of an analysis, and a network that is let in, the width of a phone, in each language', async () => {
    await createRoute(client, { allowed_sources: [{ cidr: '203.0.113.0/24' }] })
    const { page } = await visitSignedIn({ viewport: { ...PHONE, width: 360 } })
    for (const language of ['en', 'fa', 'zh-CN', 'ru']) {
      await client.put('/settings', { 'display.language': language })
      await page.goto(host.base + 'routes/1/edit')
      const network = page.locator('[name="allowed_sources.0.cidr"]')
      await network.waitFor()
      assert.ok(await network.evaluate((input) => input.scrollWidth <= input.clientWidth), `cut off in ${language}`)
      await page.goto(host.base + 'routes/1')
      await page.locator('h1').waitFor()
      await scrollToEnd(page)
      await page.locator('main .card .button').first().click()
      const sentences = page.locator('dd.wrap-anywhere')
      await sentences.first().waitFor()
      const narrow = await sentences.evaluateAll((all) =>
        all.filter((one) => one.getBoundingClientRect().width < innerWidth / 2).map((one) => one.textContent),
      )
      assert.deepEqual(narrow, [], language)
    }
  })

  it('has the button that reads the connections again beside their heading on a phone', async () => {
    await createRoute(client)
    const { page } = await visitSignedIn({ viewport: { ...PHONE, width: 360 } })
    for (const language of ['en', 'ru']) {
      await client.put('/settings', { 'display.language': language })
      await page.goto(host.base + 'routes/1')
      await page.locator('h1').waitFor()
      await scrollToEnd(page)
      const head = page.locator('.row:has(> h2)', { has: page.locator('.button.square') }).last()
      const [title, button] = [await head.locator('h2').boundingBox(), await head.locator('.button').boundingBox()]
      assert.ok(title && button && button.y < title.y + title.height, language)
    }
  })

  it('shows the whole of a new token on a phone', async () => {
    const { page } = await visitSignedIn({ viewport: { ...PHONE, width: 360 } })
    await page.goto(host.base + 'account')
    await page.locator('h1').waitFor()
    await scrollToEnd(page)
    await page.getByText('New token', { exact: true }).click()
    await page.locator('[name=title]').fill('Prometheus')
    await page.locator('fieldset input[type=checkbox]').first().check()
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = page.getByText(/^tp_[^…]+$/).first()
    await token.waitFor()
    const { x, width } = (await token.boundingBox()) ?? { x: 0, width: Infinity }
    assert.ok(x >= 0 && x + width <= 360, `it reaches from ${x} to ${x + width}`)
  })

  it('keeps the unit of what was transferred, and the arrow of its direction, with its number, however narrow the page is', async () => {
    await createRoute(client)
    await giveTraffic(host, 1)
    const { page } = await visitSignedIn({ viewport: PHONE })
    await client.put('/settings', { 'display.language': 'ru' })
    await page.goto(host.base + 'routes/1')
    const total = page.locator('p bdi').filter({ hasText: /iB$/ })
    await page.locator('footer, h1').first().waitFor()
    await scrollToEnd(page)
    await total.nth(1).waitFor()
    for (let width = 320; width <= 420; width += 10) {
      await page.setViewportSize({ width, height: 800 })
      const lines = await total.evaluateAll((all) => all.map((one) => one.getClientRects().length))
      assert.deepEqual(lines, [1, 1], `at ${width}`)
      assert.deepEqual(await total.evaluateAll(awayFromArrow), [], `at ${width}`)
    }
  })

  it('never breaks a figure, nor parts it from its unit, on any page of figures', async () => {
    await createRoute(client)
    await giveTraffic(host, 1)
    const packets = { tx_packets: 42_557, rx_packets: 42_557 }
    host.kernel.rulesets.relay(1, { tx_bytes: 3_827_000, rx_bytes: 55_360_000, ...packets })
    await host.metrics.start()
    await host.monitor.start()
    const { page } = await visitSignedIn()
    for (const language of ['fa', 'ru', 'en']) {
      await client.put('/settings', { 'display.language': language })
      for (const path of [
        '',
        'tunnels',
        'tunnels/1',
        'tunnels/1/history',
        'routes',
        'routes/1',
        'metrics',
        'host',
        'audit',
      ]) {
        await page.setViewportSize({ width: 390, height: 800 })
        await page.goto(host.base + path)
        await page.locator('h1').waitFor()
        await scrollToEnd(page)
        for (const width of [320, 360, 390, 700, 1000, 1280]) {
          await page.setViewportSize({ width, height: 800 })
          assert.deepEqual(await brokenFigures(page), [], `${path || 'the overview'} in ${language} at ${width}`)
        }
      }
    }
  })

  it('has the whole of what can be done with a selection in view, and what is below it on one line', async () => {
    const { page } = await visitTunnels({ viewport: PHONE })
    await page.locator('main tbody .pick input').first().check()
    const bar = page.getByRole('group', { name: 'Actions on the selection' })
    for (const name of ['Enable', 'Disable', 'Reapply', 'Restart', 'Delete']) {
      const box = await bar.getByRole('button', { name, exact: true }).boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= PHONE.width, name)
    }
    const words = await page
      .locator('nav.bottom span')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    assert.ok(Math.max(...words) - Math.min(...words) < 0.5, words.join(', '))
  })

  it('leaves four fifths of a phone to the list of which some are selected, in each language', async () => {
    const { page } = await visitTunnels({ viewport: PHONE })
    for (const language of ['en', 'fa', 'zh-CN', 'ru']) {
      await client.put('/settings', { 'display.language': language })
      await page.goto(`${host.base}tunnels`)
      await page.locator('main tbody .pick input').first().check()
      const bar = page.locator('main .bar[role=group]')
      const { height = Infinity } = (await bar.boundingBox()) ?? {}
      assert.ok(height <= PHONE.height / 5, `${height} px in ${language}`)
    }
  })

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
})

/** Runs in the browser: the figures that stand on another line than the arrow before them. */
const awayFromArrow = (figures: Element[]): string[] =>
  figures.flatMap((one) => {
    const before = document.createRange()
    const text = one.previousSibling as Text
    const at = Math.max(text.data.lastIndexOf('↑'), text.data.lastIndexOf('↓'))
    before.setStart(text, at)
    before.setEnd(text, at + 1)
    const [arrow, figure] = [before.getBoundingClientRect(), one.getBoundingClientRect()]
    return Math.abs(arrow.top - figure.top) > arrow.height / 2 ? [one.textContent] : []
  })
