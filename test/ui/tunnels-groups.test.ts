// The list of tunnels in groups: states, what they carry now, and the view that is saved of it.
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { FakeHost } from '../support/fake-host.ts'
import { settingsWith } from '../support/settings.ts'
import { browsing } from './support/browser.ts'
import { goTo, signedIn, startHost, tunnelHost, type Host } from './support/host.ts'

describe('The list of tunnels in groups', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    const machine = new FakeHost()
    machine.traffic({ 'gre-a-1': [1000, 2000] })
    host = await startHost({
      metrics: { host: machine, settings: settingsWith({ 'metrics.sample_interval_seconds': 0.5 }) },
    })
    client = await tunnelHost(host)
  })
  afterEach(() => host.close())

  it('has broken ones first with the sums of each, and is kept and saved as a view', async () => {
    for (const [id, tags] of [
      [1, ['north']],
      [4, ['north']],
    ] as const)
      await client.patch(`/tunnels/${id}`, { tags })
    await host.monitor.start()
    await host.metrics.start()
    const { page } = await goTo(await signedIn(await visit(host)), host, 'tunnels', /^Tunnels/)
    const row = page.locator('tbody tr.line').filter({ hasText: 'gre-a-2' })
    await row.locator('[data-state=down]').first().waitFor()
    await page.getByRole('button', { name: 'Groups and views', exact: true }).click()
    const menu = page.getByRole('group', { name: 'Groups and views', exact: true })
    assert.equal(await menu.getByRole('button', { name: 'Tunnel', exact: true }).count(), 0)
    await menu.getByRole('button', { name: 'Tags', exact: true }).click()
    await menu.getByRole('textbox', { name: 'Name of the view' }).fill('By tag')
    await page.keyboard.press('Enter')
    await menu.getByRole('button', { name: 'By tag', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    const groups = (): Promise<string[]> => page.locator('tr.group').allInnerTexts()
    await page.locator('tr.group').nth(1).waitFor()
    const [worst = '', other = ''] = await groups()
    assert.match(worst, /^Without tags\s+2 tunnels\s+1 Down/)
    assert.match(other, /^north\s+2 tunnels\s+.*1 Disabled/s)
    // Nothing was counted of the others.
    const sums = page.locator('tr.group .sums')
    await sums.filter({ hasText: /^↑Sent 0.B\/s ↓Received 0.B\/s$/ }).waitFor()
    assert.match(await sums.first().innerText(), /–[^]*–/)
    await page.reload()
    await page.locator('tr.group', { hasText: 'Without tags' }).getByRole('button').click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select all in north' }).check()
    await page.getByText('Selected: 2 tunnels').waitFor()
  })
})
