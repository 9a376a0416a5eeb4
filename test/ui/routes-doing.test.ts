// What is done to relay rules as they stand: all applied at once, one copied, and a refusal that the operator
// overrules.
import assert from 'node:assert/strict'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, field, goTo, type Host, scrollToEnd, seen, signedIn } from './support/host.ts'
import { ledRelayHost } from './support/relays.ts'
import type { Client } from '../api/support/client.ts'
import { getRoute, listRoutes, patchRoute } from '../api/support/routes.ts'

describe('Relay rules as they stand', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(ledRelayHost, (made) => ({ host, client } = made))

  const visitRules = async (path = '', heading: RegExp | string = /^Relay rules 4/): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `routes${path}`, heading)

  it('are all put into the kernel at once, after an explanation of what that does', async () => {
    host.kernel.rulesets.flush()
    const { page } = await visitRules()
    await page.getByRole('row', { name: /Web/ }).getByText('Not in force').waitFor()
    const choose = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More for all rules' }).click()
      await page.getByRole('button', { name: 'Apply all rules…' }).click()
    }
    await choose()
    const dialog = page.getByRole('dialog', { name: 'Apply all rules?' })
    await dialog.getByText(/Every enabled rule is written to the kernel as stored/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(host.kernel.rulesets.rules.size, 0)
    await choose()
    await dialog.getByRole('button', { name: 'Apply all' }).click()
    await page.getByText('All enabled rules are in sync').first().waitFor()
    assert.deepEqual([...host.kernel.rulesets.rules.keys()].sort(), [1, 2, 3])
    await page.getByRole('row', { name: /Web/ }).getByText('Not proven yet').waitFor()
  })

  it('say whether they are on the fast path if the operator has decided about it', async () => {
    const { page } = await visitRules('/1', /Web/)
    const fact = page.locator('main').getByText('Fast path', { exact: true })
    assert.equal(await fact.count(), 0)
    await patchRoute(client, 1, { is_fast_path: true })
    await page.reload()
    await fact.waitFor()
    await page.getByText(/^New connections take the fast path/).waitFor()
  })

  it('show who uses them in two lines a connection on a phone', async () => {
    host.kernel.connections.open = [1, 2, 3].map((port) => fakeConnection({ source_port: 40_000 + port }))
    const { page } = await goTo(await signedIn(await visit(host, { viewport: PHONE })), host, 'routes/1', /Web/)
    await scrollToEnd(page)
    const rows = page.getByRole('table', { name: 'Open connections by source' }).locator('tr.line')
    await rows.nth(2).waitFor()
    for (const row of await rows.all()) {
      const parts = await row.locator('.value').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
      const [source, there, state, age, bytes] = parts.map(Math.round)
      assert.deepEqual([bytes, state, age], [source, there, there])
      assert.ok((there ?? 0) > (source ?? 0))
    }
  })

  it('have the buttons of the analysis side by side on a phone', async () => {
    const { page } = await goTo(await signedIn(await visit(host, { viewport: PHONE })), host, 'routes/1', /Web/)
    await page.getByRole('button', { name: 'Analyze', exact: true }).click()
    const place = (name: string) => page.getByRole('button', { name, exact: true }).boundingBox()
    const [test, analyze] = [await place('Test the destinations'), await place('Analyze')]
    assert.ok(test && analyze && analyze.x > test.x)
    assert.equal(analyze.y, test.y)
  })

  it('are copied under another name, out of force, and the copy is gone to so that it gets its own port', async () => {
    const { page } = await visitRules()
    await page.getByRole('button', { name: /Actions for .*Web/ }).click()
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page
      .getByText(/The copy of .*Web.* is disabled: give it its own port/)
      .first()
      .waitFor()
    await seen(page, /^Edit .*Web/)
    assert.match(page.url(), /\/routes\/5\/edit$/)
    assert.equal(await page.getByRole('switch', { name: 'Enabled as soon as it is saved' }).isChecked(), false)
    await page.getByRole('spinbutton', { name: 'Port', exact: true }).fill('8443')
    await page.getByRole('switch', { name: 'Enabled as soon as it is saved' }).check()
    await page.getByRole('button', { name: 'Review the plan' }).click()
    await page.getByRole('button', { name: 'Save the changes' }).click()
    await seen(page, /^Web/)
    const { route } = (await getRoute(client, 5)).body
    assert.deepEqual([route.bind_port, route.is_enabled, route.destination_address], [8443, true, '10.9.0.2'])
  })

  for (const [what, body, listener, on] of [
    ['a port that a process of the server uses', { port: '8080', address: '10.9.0.2' }, true, 'Port'],
    ['a destination that is the server itself', { port: '8081', address: '127.0.0.1' }, false, 'Address'],
  ] as const) {
    it(`take ${what} only after a refusal on its field, and a second press that accepts it`, async () => {
      if (listener)
        host.kernel.hostListeners = [
          { protocol: 'tcp', address: '0.0.0.0', port: 8080, process: 'nginx', is_sshd: false },
        ]
      const { page, gates } = await visitRules('/new', 'Create a rule')
      const force = page.getByRole('switch', { name: 'Apply anyway' })
      await page.getByRole('spinbutton', { name: 'Port', exact: true }).fill(body.port)
      await field(page, 'Address').fill(body.address)
      await page.getByRole('spinbutton', { name: 'Destination port' }).fill('80')
      assert.equal(await force.count(), 0, 'it is offered where it is of use')
      gates.expectAnswer(422, '/routes/preview')
      await page.getByRole('button', { name: 'Review the plan' }).click()
      assert.match(await complaintOf(page, on), /With force it is done anyway/)
      await force.check()
      await page.getByRole('button', { name: 'Review the plan' }).click()
      await page.getByRole('button', { name: 'Create the rule' }).click()
      await seen(page, new RegExp(body.port))
      const { total } = (await listRoutes(client)).body
      assert.equal(total, 5)
      assert.ok(host.kernel.rulesets.rules.has(5))
    })
  }
})
