// What a change interrupts is shown before it is confirmed: connections, rules, lost routes and the operator's own way.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { parseIp } from '@panel/shared/address/ip.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { fakeRoute, routeThrough } from '../support/fake-routes.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { Client } from '../api/support/client.ts'
import { createRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { browsing } from './support/browser.ts'
import { goTo, scrollToEnd, signedIn, startHost, type Host } from './support/host.ts'
import { giveStranger } from './support/relays.ts'

describe('What a change interrupts', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    host = await startHost()
    client = await host.setUp()
    await createTunnel(client, { addresses: [{ address: '10.9.0.1', prefix_length: 24 }] })
    await createRoute(client, { route_rule_title: 'Web shop' })
    for (const port of [1, 2, 3]) host.kernel.connections.open.push(fakeConnection({ source_port: port }))
    await host.traffic.count()
  })
  afterEach(() => host.close())

  const open = async (path: string, heading: string | RegExp): Promise<Page> =>
    (await goTo(await signedIn(await visit(host)), host, path, heading)).page
  const askToDelete = async (page: Page): Promise<void> => {
    await page.locator('main button[popovertarget]').first().click()
    await page.locator('[popover]:popover-open .danger').first().click()
  }
  const figures = async (box: Locator): Promise<string[]> => (await box.locator('.figure').allInnerTexts()).map(flat)
  const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')

  it('is three figures in the question about a tunnel, with the sources on demand and lost routes named', async () => {
    const [source, behind] = ['203.0.113.9', '10.9.0.7'].map((text) => parseIp(text))
    assert(source && behind)
    host.kernel.connections.others.push([source, behind], [source, source])
    host.kernel.routesOfOthers.add('gre-a-1', routeThrough('10.91.0.0/16', { unmodelled: ['several next hops'] }))
    const page = await open('tunnels/1', /gre-a-1/)
    await askToDelete(page)
    const box = page.getByRole('dialog').getByRole('region', { name: 'What this interrupts' })
    await box.getByText('Traffic stops, and does not resume by itself.').waitFor()
    assert.deepEqual(await figures(box), ['Connections that end 3', 'Connections at risk 0', 'Affected relay rules 1'])
    await box.locator('.banner.down').getByText('10.91.0.0/16').waitFor()
    await box.getByText('The relay rule').click()
    await box.getByText('open connections end (3)').waitFor()
    await box.getByText('Where the connections come from').click()
    await box.getByText('203.0.113.5').waitFor()
    await box.getByText('Other connections through the tunnels').waitFor()
    assert.deepEqual((await figures(box)).slice(3), ['Other connections through the tunnels 1'])
  })

  it('has its three figures on one line, however long their names are', async () => {
    const page = await open('tunnels/1', /gre-a-1/)
    await client.put('/settings', { 'display.language': 'ru' })
    await page.setViewportSize({ width: 390, height: 800 })
    await page.reload()
    await page.getByRole('heading', { name: 'gre-a-1' }).waitFor()
    await askToDelete(page)
    const values = page.getByRole('dialog').locator('.figure .value')
    await values.nth(2).waitFor()
    const tops = await values.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))
    assert.equal(new Set(tops).size, 1, tops.join(' '))
  })

  it('that takes routes away for good can have a way back prepared first', async () => {
    host.kernel.routesOfOthers.add('gre-a-1', routeThrough('10.91.0.0/16', { unmodelled: ['several next hops'] }))
    const page = await open('tunnels/1', /gre-a-1/)
    await askToDelete(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Put it back unless I keep it' }).click()
    await page.getByRole('dialog').getByText('What you change now comes back by itself').waitFor()
    const { window } = (await client.get<SafeApplyAnswer>('/safe-apply')).body
    assert.equal(window?.state, 'open')
  })

  it("names the operator's own connection where the change leads over it", async () => {
    host.kernel.hostRoutes.push(fakeRoute('127.0.0.0/8', 'gre-a-1'))
    const page = await open('tunnels/1', /gre-a-1/)
    await page.getByRole('button', { name: 'Disable' }).click()
    const box = page.getByRole('dialog').getByRole('region', { name: 'What this interrupts' })
    await box.getByText(/Your own connection comes from 127\.0\.0\.1, through gre-a-1/).waitFor()
  })

  it('is one box for all that are selected', async () => {
    await createRoute(client, { route_rule_title: 'Mail', bind_port: 25 })
    const page = await open('routes', 'Relay rules 2')
    await page.getByRole('checkbox', { name: 'Select all 2 that match' }).check()
    await page.getByRole('group', { name: 'Actions on the selection' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByText('Open connections continue').waitFor()
    const box = page.getByRole('dialog').getByRole('region', { name: 'What this interrupts' })
    assert.deepEqual(await figures(box), ['Connections that end 0', 'Connections at risk 0', 'Affected relay rules 2'])
  })

  it('is shown before the last address of a tunnel goes', async () => {
    const page = await open('tunnels/1', /gre-a-1/)
    await scrollToEnd(page)
    await page.getByRole('button', { name: 'Remove 10.9.0.1' }).click()
    const box = page.getByRole('dialog').getByRole('region', { name: 'What this interrupts' })
    await box.waitFor()
    assert.deepEqual(await figures(box), ['Connections that end 3', 'Connections at risk 0', 'Affected relay rules 1'])
  })

  it('is shown before what is not as stored is put back, forgotten or adopted', async () => {
    host.kernel.held.delete('gre-a-1')
    giveStranger(host)
    const page = await open('reconcile', 'Drift')
    const box = page.getByRole('dialog').getByRole('region', { name: 'What this interrupts' })
    const openQuestion = async (action: RegExp): Promise<void> => {
      await page.getByRole('button', { name: action }).first().click()
      await box.getByText('No connection is interrupted.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    }
    for (const action of [/^Reapply it/, /^Forget/, /^Delete/, /^Adopt/]) await openQuestion(action)
  })

  it('follows the switch that ends the connections of a rule', async () => {
    const page = await open('routes/1', 'Web shop')
    await askToDelete(page)
    const box = page.getByRole('dialog').getByRole('region', { name: 'What this interrupts' })
    await box.getByText('Open connections continue; new ones follow the change.').waitFor()
    assert.equal((await figures(box))[0], 'Connections that end 0')
    await page.getByRole('dialog').getByRole('switch').click()
    await box.getByText('3', { exact: true }).waitFor()
  })

  it('is shown as unknown if the panel cannot find it out, and the question stands', async () => {
    host.kernel.connections.unreadable = 'Operation not permitted'
    await host.traffic.count()
    const page = await open('tunnels/1', /gre-a-1/)
    await page.getByRole('button', { name: 'Disable' }).click()
    const box = page.getByRole('dialog').getByRole('region', { name: 'What this interrupts' })
    await box.getByText('not known').first().waitFor()
    assert.deepEqual((await figures(box)).slice(0, 2), [
      'Connections that end not known',
      'Connections at risk not known',
    ])
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor()
  })
})
