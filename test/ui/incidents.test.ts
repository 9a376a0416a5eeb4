// An incident's drawer, the history of incidents, and the analysis that comes first.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { readForeign } from '@panel/shared/foreign/read.ts'
import type { Client } from '../api/support/client.ts'
import { eventually } from '../support/eventually.ts'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { hands, isInView } from './support/counting.ts'
import { eachHost, goTo, signedIn, startHost, type Host } from './support/host.ts'
import { relayHost } from './support/relays.ts'

describe('An incident', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    host = await startHost()
    client = await relayHost(host)
    // It is shadowed, which is an incident of its own.
    await client.delete('/routes/3')
    await client.post('/tunnels/2/reapply')
    host.kernel.held.delete('gre-a-1')
    await look()
  })
  afterEach(() => host.close())

  const look = async (): Promise<void> => {
    await host.watch.pass('event')
    await host.routeWatch.pass('event')
    await host.incidents.look()
  }
  const drawer = (page: Page) => page.getByRole('dialog', { name: 'Hamburg relay' })
  const open = async (visited: Visit): Promise<Page> => {
    const { page } = await signedIn(visited)
    await page.getByRole('button', { name: /^Hamburg relay( gre-a-1)?$/ }).click()
    await drawer(page).getByRole('heading', { name: 'What is wrong' }).waitFor()
    return page
  }

  it('opens a drawer with the verdict, the path and what changed before, and Escape closes it', async () => {
    const page = await open(await visit(host))
    await drawer(page).getByText('The interface gre-a-1 is missing on this server').waitFor()
    await drawer(page).getByRole('heading', { name: 'Path of the packets' }).waitFor()
    await drawer(page).getByText('Relay rule deleted').first().waitFor()
    await page.keyboard.press('Escape')
    await drawer(page).waitFor({ state: 'detached' })
    const focused = await page.evaluate(() => document.activeElement?.textContent)
    assert.match(focused ?? '', /^Hamburg relay( gre-a-1)?$/)
  })

  it('is closed by the browser’s Back', async () => {
    const page = await open(await visit(host))
    await page.goBack()
    await drawer(page).waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('turns green by itself once it is over', async () => {
    const page = await open(await visit(host))
    await client.post('/tunnels/1/reapply')
    await look()
    await drawer(page).getByText('Resolved', { exact: true }).waitFor()
    await drawer(page)
      .getByText(/lasted/)
      .waitFor()
    assert.equal(await drawer(page).getByRole('button', { name: 'Acknowledge' }).count(), 0)
  })

  it('is mended by its button', async () => {
    const page = await open(await visit(host))
    await drawer(page).getByRole('button', { name: 'Reapply' }).click()
    await eventually(() => host.kernel.held.has('gre-a-1'), 'the interface')
  })

  it('is acknowledged, and silenced for an hour, which takes it out of the header', async () => {
    const page = await open(await visit(host))
    await drawer(page).getByRole('button', { name: 'Acknowledge' }).click()
    await drawer(page)
      .getByText(/Acknowledged by operator/)
      .waitFor()
    await drawer(page).getByRole('button', { name: '1 hour' }).click()
    await drawer(page)
      .getByText(/Silenced by operator until/)
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByText(/silenced until/).waitFor()
    await page.waitForFunction(() => !/^\(?\d/.test(document.title))
    assert.equal(
      await page
        .getByRole('banner')
        .getByText(/incident/)
        .count(),
      0,
    )
    await page.getByRole('button', { name: /^Hamburg relay( gre-a-1)?$/ }).click()
    await drawer(page).getByRole('button', { name: 'End the silence' }).click()
    await drawer(page).getByRole('button', { name: '1 hour' }).waitFor()
    await page.getByRole('banner').getByText('1 incident').first().waitFor()
  })

  it('is silenced until a chosen time', async () => {
    const page = await open(await visit(host))
    const at = new Date(Date.now() + 2 * 86_400_000)
    const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    await drawer(page).getByLabel('Until a chosen time').fill(local)
    await drawer(page).getByRole('button', { name: 'Silence', exact: true }).click()
    await drawer(page)
      .getByText(/Silenced by operator until/)
      .waitFor()
  })

  it('of a relay takes one click on a phone to say why and what mends it, with nothing to scroll for', async () => {
    await client.post('/tunnels/1/reapply')
    const chain = { family: 'inet', table: 'filter', name: 'gate', type: 'filter', prio: 0, policy: 'drop' }
    host.kernel.foreign = readForeign(JSON.stringify({ nftables: [{ chain: { ...chain, hook: 'forward' } }] }), '')
    host.routeWatch.hint('all')
    await look()
    const { page } = await signedIn(await visit(host, { viewport: PHONE }))
    const { count, click } = hands()
    await click(page.getByRole('button', { name: /^Web/ }))
    const opened = page.getByRole('dialog', { name: 'Web' })
    const why = opened.getByText(/Table inet filter, chain gate, drops what the rule relays/)
    const remedy = opened.getByText(/nft insert rule inet filter gate/).first()
    for (const answer of [why, remedy]) {
      await answer.waitFor()
      assert.ok(await isInView(page, answer), await answer.innerText())
    }
    assert.deepEqual(count, { clicks: 1, fields: 0, files: 0 })
  })

  it('takes one step on a phone to say why, and its drawer is as wide as the phone', async () => {
    const page = await open(await visit(host, { viewport: PHONE }))
    await drawer(page).getByText('The interface gre-a-1 is missing on this server').waitFor()
    const box = await drawer(page).boundingBox()
    assert.equal(box?.width, PHONE.width)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  })

  it('that is over is in the list of incidents, with its duration, and opens there too', async () => {
    await client.post('/tunnels/1/reapply')
    await look()
    const { page } = await goTo(await signedIn(await visit(host)), host, 'incidents', /^Incidents/)
    const row = page.getByRole('row').filter({ hasText: 'Hamburg relay' })
    await row.getByText('Resolved').waitFor()
    await row.getByText(/\d+ sec/).waitFor()
    await row.getByRole('button', { name: 'Hamburg relay' }).click()
    await drawer(page).getByRole('heading', { name: 'What was wrong' }).waitFor()
  })

  it('is diagnosed in its drawer by one press on the overview', async () => {
    await client.post('/tunnels/1/reapply')
    await client.post('/tunnels/1/down')
    await look()
    const { page } = await signedIn(await visit(host))
    await page.getByRole('button', { name: 'Diagnose' }).first().click()
    await page.getByRole('dialog').getByText('Evidence').waitFor()
  })
})

describe('The analysis', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(relayHost, (made) => ({ host, client } = made))

  it('of a rule comes first on its page, and its result stays until the rule is changed', async () => {
    const visited = await signedIn(await visit(host))
    const { page } = await goTo(visited, host, 'routes/1', 'Web')
    const first = page.locator('main .card').first()
    await first.getByRole('button', { name: 'Analyze' }).click()
    await first.getByText('Evidence').waitFor()
    await page.getByRole('link', { name: 'Relay rules' }).first().click()
    await page.getByRole('heading', { name: 'Relay rules' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Web', exact: true }).waitFor()
    await first.getByText('Evidence').waitFor()
    await client.post('/routes/1/disable')
    await first.getByText('Evidence').waitFor({ state: 'detached' })
  })

  it('of a tunnel comes first on its page', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'tunnels/1', /gre-a-1/)
    const first = page.locator('main .card').first()
    await first.getByRole('button', { name: 'Analyze' }).click()
    await page.locator('main').getByText('Evidence').waitFor()
  })

  it('runs from the menu of a row', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes', /^Relay rules/)
    await page.getByRole('button', { name: /^Actions for .*Web/ }).click()
    await page.getByRole('link', { name: 'Analyze' }).click()
    await page.locator('main').getByText('Evidence').waitFor()
  })

  it('runs from the palette', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'system', 'System')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Hamburg')
    await page.getByRole('option', { name: 'Analyze Hamburg relay' }).click()
    await page.locator('main').getByText('Evidence').waitFor()
  })
})
