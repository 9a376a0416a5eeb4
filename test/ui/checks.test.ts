// The checks of a rule's destinations on its page: set up, how each destination is, taken out and put back.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browsing, type Visit } from './support/browser.ts'
import { goTo, scrollToEnd, signedIn, startHost, type Host } from './support/host.ts'
import { relayHost } from './support/relays.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { ADDRESSES, checkOf, FakeChecks, madeThree, QUICK, untilState } from '../api/support/checks.ts'
import type { Client } from '../api/support/client.ts'

describe('The destinations of a rule', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  let checks: FakeChecks
  beforeEach(async () => {
    checks = new FakeChecks()
    host = await startHost({ failover: { run: checks.run, random: () => 0 } })
    client = await relayHost(host)
    await host.failover.start()
  })
  afterEach(() => host.close())

  const visitRule = async (id: number): Promise<Visit> => {
    const visited = await goTo(await signedIn(await visit(host)), host, `routes/${id}`, /8080/)
    await scrollToEnd(visited.page)
    await visited.page.locator('[data-checks]').waitFor()
    return visited
  }
  const made = (body: object = {}): Promise<number> => madeThree(client, { bind_port: 8080, check: null, ...body })

  /** What the picture of the path says of it. */
  const hop = async (page: Page, label: string | RegExp): Promise<string> =>
    (await page.locator('.hop title').filter({ hasText: label }).first().textContent()) ?? ''

  it('are explained before one is taken out for the first time', async () => {
    const { page } = await visitRule(await made({ check: QUICK }))
    await page.getByText(/^Take out: the destination gets no new connections/).waitFor()
    await page.locator('[data-first-sight=take_out]').getByRole('button', { name: 'Close' }).click()
    await page.locator('[data-first-sight=take_out]').waitFor({ state: 'detached' })
  })

  it('are checked once that is set up, and what is wrong is shown at its field', async () => {
    const id = await made()
    const { page, gates } = await visitRule(id)
    gates.expectAnswer(422, `/routes/${id}/check`)
    await page.getByText('The destinations are not checked').waitFor()
    await page.getByRole('button', { name: 'Check destinations' }).click()
    await page.getByRole('spinbutton', { name: 'Interval (ms)' }).fill('500')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText('Must not be longer than the interval')
      .or(page.locator('[aria-invalid=true]'))
      .first()
      .waitFor()
    await page.getByRole('spinbutton', { name: 'Time-out (ms)' }).fill('200')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('TCP every 500 ms').waitFor()
    const { check } = await checkOf(client, id)
    assert.deepEqual([check?.interval_ms, check?.timeout_ms, check?.kind], [500, 200, 'tcp'])
  })

  it('say which is down and why, and the path leads around it', async () => {
    const id = await made({ check: QUICK })
    checks.fail('10.9.0.3')
    await untilState(client, id, '10.9.0.3', 'down')
    await untilState(client, id, '10.9.0.2', 'up')
    const { page } = await visitRule(id)
    const one = page.locator('[data-destination="10.9.0.3"]')
    await one.getByText('Port 80 refuses connections').waitFor()
    await one.getByText('Takes no new connections').waitFor()
    await page.locator('[data-destination="10.9.0.2"]').getByText('Takes new connections').waitFor()
    assert.match(await hop(page, '10.9.0.3:80'), /Fails its checks/)
    await page
      .getByText(/^2 of 3 destinations take new connections/)
      .first()
      .waitFor()
  })

  it('are taken out after a question that says what happens, and put back', async () => {
    const id = await made()
    const { page } = await visitRule(id)
    const one = page.locator('[data-destination="10.9.0.3"]')
    await one.getByRole('button', { name: 'Take out' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It gets no new connections until you put it back').waitFor()
    await dialog.getByText('Open connections continue; new ones follow the change.').waitFor()
    await dialog.getByRole('button', { name: 'Take out' }).click()
    await one.getByText('Taken out by hand').waitFor()
    assert.match(await hop(page, '10.9.0.3:80'), /Taken out$/)
    assert.equal((await checkOf(client, id)).destinations[1]?.state, 'drained')
    await one.getByRole('button', { name: 'Put back' }).click()
    await one.getByRole('button', { name: 'Take out' }).waitFor()
    assert.equal((await checkOf(client, id)).destinations[1]?.rotation, 'in')
  })

  it('show latency, connections and the last checks of each, what changed, and which is a backup', async () => {
    const destinations = ADDRESSES.map((address, at) => ({ address, port: 80, is_backup: at === 2 }))
    const id = await made({ destinations, check: QUICK })
    checks.fail('10.9.0.3')
    host.kernel.connections.open = [1, 2].map((source_port) =>
      fakeConnection({ route_rule_id: id, source_port, destination_address: '10.9.0.2', destination_port: 80 }),
    )
    await untilState(client, id, '10.9.0.3', 'down')
    await untilState(client, id, '10.9.0.2', 'up')
    const { page } = await visitRule(id)
    const [one, two, three] = ADDRESSES.map((address) => page.locator(`[data-destination="${address}"]`))
    await one?.getByText('2 connections').waitFor()
    await one?.getByText('1.5 ms last').waitFor()
    await one?.getByText(/^Last \d+ checks?: none failed$/).waitFor()
    await two?.getByText(/^Last \d+ checks?: \d+ failed$/).waitFor()
    await three?.getByText('Backup').waitFor()
    assert.equal(await one?.getByText('Backup').count(), 0)
    await page.locator('main').getByText('Changes', { exact: true }).click()
    await page.getByText(/10\.9\.0\.3:80\s+Down: Port 80 refuses connections/).waitFor()
  })

  it('show on the path which of them takes connections: a backup once the others are down', async () => {
    const destinations = ADDRESSES.map((address, at) => ({ address, port: 80, is_backup: at === 2 }))
    const id = await made({ destinations, check: QUICK })
    for (const address of ADDRESSES) await untilState(client, id, address, 'up')
    const says = async (): Promise<string[]> => {
      const { page } = await visitRule(id)
      const titles = await Promise.all(ADDRESSES.map((address) => hop(page, new RegExp(`^${address}:80 `))))
      return titles.map((title) => title.split(' · ').slice(1).join(', '))
    }
    assert.deepEqual(await says(), ['Takes connections', 'Takes connections', 'On standby'])
    for (const address of ['10.9.0.2', '10.9.0.3']) checks.fail(address)
    for (const address of ['10.9.0.2', '10.9.0.3']) await untilState(client, id, address, 'down')
    const down = 'Fails its checks, Down'
    assert.deepEqual(await says(), [down, down, 'Takes connections'])
  })
})
