// Diagnostics on the page: packets from the first on, a Stop, the MTU with the button that applies it, and a verdict
// with what to do.
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import type { FakeEcho } from '../support/fake-icmp.ts'
import type { Client } from '../api/support/client.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { browsing, type Visit } from './support/browser.ts'
import { goTo, signedIn, startHost, type Host } from './support/host.ts'

describe('Diagnostics on the page', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    host = await startHost()
    client = await host.setUp()
    await createTunnel(client)
  })
  afterEach(() => host.close())

  const visitDiagnostics = async (id = 1): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `tunnels/${id}/diagnostics`, /gre-a-/)

  it('show each packet of a ping as it is decided, with loss as it is now, and stop at once', async () => {
    host.kernel.icmp.answer = ({ sequence }: FakeEcho) => (sequence % 2 === 0 ? {} : null)
    const { page } = await visitDiagnostics()
    await page.getByLabel('Packets', { exact: true }).fill('1000')
    await page.getByLabel('Interval, seconds').fill('0.05')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator('[data-packet]', { hasText: 'reply' }).nth(2).waitFor()
    await page.locator('[data-packet]', { hasText: 'lost' }).first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped', { exact: true }).waitFor()
    const shown = await page.locator('[data-packet]').count()
    assert.ok(shown > 3 && shown < 1000)
    await page.getByRole('listitem').filter({ hasText: 'Ping' }).first().waitFor()
  })

  it('draw a ping as it goes, mark what was lost, and have the figures as text', async () => {
    host.kernel.icmp.answer = ({ sequence }: FakeEcho) => (sequence % 3 === 0 ? null : {})
    const { page } = await visitDiagnostics()
    await page.getByLabel('Packets', { exact: true }).fill('1000')
    await page.getByLabel('Interval, seconds').fill('0.05')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const picture = page.locator('figure canvas')
    await picture.waitFor()
    const first = await picture.evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
    await page.waitForFunction(
      (before) => document.querySelector<HTMLCanvasElement>('figure canvas')?.toDataURL() !== before,
      first,
    )
    await page.locator('[data-packet]', { hasText: 'lost' }).first().waitFor()
    await page.waitForFunction(showsLoss)
    const figure = page.getByRole('figure').filter({ hasText: 'Round trip, packet by packet' })
    await figure.getByText(/Round trip: .* now, from .* to /).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped', { exact: true }).waitFor()
    await figure.getByText('Figures').click()
    await figure.getByRole('cell', { name: '–' }).first().waitFor()
    await figure.getByRole('cell', { name: /ms$/ }).first().waitFor()
  })

  it('end an MTU probe with one button that shows its request, and runs it', async () => {
    host.kernel.icmp.answer = ({ packet_size }: FakeEcho) => (packet_size + 28 <= 1400 ? {} : null)
    const { page } = await visitDiagnostics()
    await page.getByRole('button', { name: 'Probe the MTU' }).click()
    const apply = page.getByRole('button', { name: 'Set the MTU to 1372' })
    await apply.waitFor()
    await page.getByText(/PATCH \/.*tunnels\/1 \{"mtu":1372\}/).waitFor()
    await apply.click()
    await page.getByText('The MTU is 1372 now').first().waitFor()
    assert.equal(host.kernel.held.get('gre-a-1')?.state?.config.mtu, 1372)
  })

  it('say what is wrong, on what that rests, and what to do in which order', async () => {
    host.kernel.held.delete('gre-a-1')
    const { page } = await visitDiagnostics()
    await page.getByRole('button', { name: 'Analyze' }).click()
    await page.getByText('The interface is missing', { exact: true }).waitFor()
    await page.getByText('What to do, in this order').waitFor()
    assert.ok((await page.getByRole('group').filter({ hasText: 'Evidence' }).locator('dd').count()) > 0)
  })

  it('say that no fault was found, and not that it is well, where nobody at the far end could answer', async () => {
    await createTunnel(client, {
      remote_endpoint: '198.51.100.9',
      addresses: [{ address: '10.78.0.1', prefix_length: 24 }],
    })
    const { page } = await visitDiagnostics(2)
    await page.getByRole('button', { name: 'Analyze' }).click()
    await page
      .locator('[data-state=unknown]')
      .filter({ hasText: /^No fault found$/ })
      .waitFor()
    await page.getByText('The evidence is not conclusive.').waitFor()
    assert.equal(await page.getByText('Healthy', { exact: true }).count(), 0)
  })

  it('keep earlier runs, each to be opened with what came of it, and to be taken out of the list', async () => {
    const { page } = await visitDiagnostics()
    await page.getByRole('button', { name: 'Analyze' }).click()
    const runs = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Earlier runs' }) })
    await runs.getByRole('button', { name: 'Analysis', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Analysis' })
    await dialog.getByText('Result', { exact: true }).waitFor()
    await dialog.getByText('Healthy', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await runs.getByRole('button', { name: 'Remove this run: Analysis' }).click()
    await page
      .getByRole('dialog', { name: 'Remove this run: Analysis' })
      .getByRole('button', { name: 'Remove' })
      .click()
    await runs.getByText('No runs yet.').waitFor()
    assert.equal((await client.get<{ total: number }>('/diagnostics/runs')).body.total, 0)
  })

  it('tell what an earlier ping and an earlier MTU probe found in words, with the JSON on demand', async () => {
    const { page } = await visitDiagnostics()
    const runs = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Earlier runs' }) })
    const open = async (type: string): Promise<Locator> => {
      await runs.getByRole('button', { name: type, exact: true }).click()
      return page.getByRole('dialog', { name: type })
    }
    await page.getByLabel('Packets', { exact: true }).fill('3')
    await page.getByLabel('Interval, seconds').fill('0.05')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const ping = await open('Ping')
    await ping.getByText('3 of 3 came back').waitFor()
    await ping.getByText(/^[\d.]+\u00a0ms to [\d.]+\u00a0ms$/).waitFor()
    assert.equal(await ping.getByText('"loss_percent"').count(), 0)
    await ping.getByText('The result as JSON').click()
    await ping.getByText('"loss_percent": 0').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Probe the MTU' }).click()
    const probe = await open('MTU probe')
    await probe.getByRole('term').filter({ hasText: 'Recommended for the tunnel' }).waitFor()
    await probe.getByText('Sizes that were tried').click()
    await probe.getByRole('listitem').filter({ hasText: /^\d+:/ }).first().waitFor()
  })

  it('show that nothing has been stored yet where there is no history', async () => {
    const visit = await visitDiagnostics()
    await visit.page.getByRole('link', { name: 'History' }).click()
    await visit.page.getByText('No history yet').waitFor()
    await visit.page.getByRole('button', { name: '7 days' }).click()
    await visit.page.waitForURL(/range=7d/)
  })
})

/** Runs in the browser: whether anything in the chart is drawn in the colour of what is down. */
const showsLoss = (): boolean => {
  const canvas = document.querySelector<HTMLCanvasElement>('figure canvas')
  const key = document.querySelector('figure .key.down')
  if (!canvas || !key) return false
  const wanted = getComputedStyle(key, '::before').borderBlockStartColor.match(/\d+/g)?.map(Number).join()
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
  for (let at = 0; at < data.length; at += 4) if (`${data[at]},${data[at + 1]},${data[at + 2]}` === wanted) return true
  return false
}
