// Relay rules on the page: a line each, with what the host does otherwise than configured, searched, switched, deleted, and put in order.
import assert from 'node:assert/strict'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, scrollToEnd, seen, signedIn } from './support/host.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { chooseColumns, saved, saveList } from './support/lists.ts'
import { ledRelayHost } from './support/relays.ts'
import type { Client } from '../api/support/client.ts'
import { getRoute, listRoutes } from '../api/support/routes.ts'

const WEB_LINE =
  /^Not proven yet\s*Web\s*192\.0\.2\.1:443\s*\/tcp\s*→?\s*10\.9\.0\.2:8443\s*Hamburg relay\s*gre-a-1\s*↑[\s\S]*↓/

describe('The list of relay rules', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(ledRelayHost, (made) => ({ host, client } = made))

  const visitRules = async (path = '', heading: RegExp | string = /^Relay rules 4/, look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, `routes${path}`, heading)
  const row = ({ page }: Visit, name: RegExp) => page.getByRole('row', { name })

  it('has a line for each: state, name, what it takes, where to, by which tunnel, and what passes now', async () => {
    const visited = await visitRules()
    const { page } = visited
    assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), [
      'State',
      'Rule',
      'Listens on',
      'Relays to',
      'Tunnel',
      'Now',
      'Uptime',
    ])
    await row(visited, /Never reached/)
      .getByText('Never matches: shadowed by')
      .waitFor()
    await row(visited, /Never reached/)
      .getByRole('link', { name: 'All high ports' })
      .waitFor()
    assert.match(await row(visited, /Names/).innerText(), /^Disabled\s*Names\s*192\.0\.2\.1:5353\s*\/udp/)
    assert.match(await row(visited, /Web/).innerText(), WEB_LINE)
    assert.match(await row(visited, /All high ports Not/).innerText(), /\s5000-5999\s*\/tcp/)
    for (const same of [/Names/, /Web/, /All high ports Not/])
      assert.equal(await row(visited, same).locator('.note').count(), 0)
  })

  it('has the two figures of traffic under heads of their own if the operator wants them', async () => {
    const { page } = await visitRules()
    assert.equal(await page.getByText(/never add/).count(), 0)
    await chooseColumns(page, ['Kernel, since boot', 'Panel, in total'])
    for (const name of ['Kernel, since boot', 'Panel, in total'])
      await page.getByRole('columnheader', { name, exact: true }).waitFor()
    await page.getByText(/never add/).waitFor()
  })

  it('is saved as a table of what the search leaves', async () => {
    const { page } = await visitRules('?q=proto:udp')
    const { name, lines } = await saved(page, () => saveList(page))
    assert.equal(name, 'relay-rules-DAY.csv')
    assert.match(lines[0] ?? '', /^route_rule_id,route_rule_title,description,tags,is_enabled,state,detail,protocol,/)
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',').slice(1, 2)),
      [['Names']],
    )
    assert.match(lines[1] ?? '', /,false,disabled,.*,UDP,192\.0\.2\.1,5353,,,/)
  })

  it('has the open connections of a rule saved as a table', async () => {
    host.kernel.connections.open = [1, 2].map((source_port) => fakeConnection({ route_rule_id: 1, source_port }))
    const { page } = await visitRules('/1', /Web/)
    await scrollToEnd(page)
    const save = page.getByRole('button', { name: 'Save as CSV' })
    const { name, lines } = await saved(page, () => save.click())
    assert.equal(name, 'connections-DAY.csv')
    assert.match(lines[0] ?? '', /^protocol,state,source_address,source_port,bind_address,bind_port,/)
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[3]),
      ['1', '2'],
    )
  })

  it('shows once on the page of a rule what shadows it, with what to do', async () => {
    const { page } = await visitRules('/3', /Never reached/)
    await page.getByText(/Move the rule before/).waitFor()
    assert.equal(await page.getByText(/shadowed by/).count(), 1)
  })

  it('explains on the page of a rule what “never matches” means, until the operator has it', async () => {
    const { page } = await visitRules('/3', /Never reached/)
    const hint = page.getByText(/^Never matches: another rule comes first/)
    await hint.waitFor()
    await page.locator('[data-first-sight]').getByRole('button', { name: 'Close' }).click()
    await hint.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText(/Move the rule before/).waitFor()
    assert.equal(await hint.count(), 0)
  })

  it('shows what is configured beside what the host has of a rule that was taken out of the kernel by hand', async () => {
    host.kernel.rulesets.flush()
    const visited = await visitRules('?q=state:down')
    await visited.page.getByText('3 of 4').waitFor()
    assert.match(await row(visited, /Web/).innerText(), /^Not in force/)
    assert.match(
      await row(visited, /Web/).locator('.note').innerText(),
      /^Configured:\s*Enabled\s*·\s*On the server:\s*Missing/,
    )
  })

  it('is searched by words and filters that are in the address', async () => {
    const { page } = await visitRules('?q=proto:udp')
    await page.getByText('1 of 4').waitFor()
    await page.getByRole('searchbox').fill('tunnel:gre-a-1 state:ok')
    await page.getByText('2 of 4').waitFor()
    assert.equal(await page.getByRole('row', { name: /Web/ }).count(), 1)
    await page.reload()
    await page.getByText('2 of 4').waitFor()
    await page.getByRole('searchbox').fill('is:shadowed')
    await page.getByRole('row', { name: /Never reached/ }).waitFor()
  })

  it('takes a rule out of force with one click, and puts it back with Undo', async () => {
    const { page } = await visitRules()
    await page.getByRole('button', { name: /Actions for .*Web/ }).click()
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page
      .getByText(/Web.* is disabled/)
      .first()
      .waitFor()
    assert.equal((await getRoute(client, 1)).body.route.is_enabled, false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('row', { name: /Web/ }).getByText('Not proven yet').waitFor()
    assert.equal((await getRoute(client, 1)).body.route.is_enabled, true)
  })

  it("deletes only behind a dialog with the rule's name, its consequence, and the focus on Cancel", async () => {
    const { page } = await visitRules()
    await page.getByRole('button', { name: /Actions for .*Web/ }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: /Delete .*Web.*\?/ })
    await dialog.getByText(/192\.0\.2\.1:443.* are no longer relayed/).waitFor()
    assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'Cancel')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await listRoutes(client)).body.total, 4)
    await page.getByRole('button', { name: /Actions for .*Web/ }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByRole('switch', { name: 'Also end its open connections' }).check()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await seen(page, /^Relay rules 3/)
    assert.deepEqual(
      host.kernel.changes.filter((what) => what === 'disconnect 1'),
      ['disconnect 1'],
    )
  })

  it('is put in order by steps, to a place, by dragging and several at once, and saved once', async () => {
    const { page } = await visitRules('/order', 'Order of the rules')
    const order = async (): Promise<string[]> =>
      page.locator('li[data-id]').evaluateAll((all) => all.map((one) => one.getAttribute('data-id') ?? ''))
    await page.getByRole('button', { name: /Move .*Names.* up/ }).click()
    assert.deepEqual(await order(), ['1', '2', '4', '3'])
    assert.match(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''), /Names/)
    await page.getByRole('checkbox', { name: /Select .*Never reached/ }).check()
    await page.getByRole('checkbox', { name: /Select .*Names/ }).check()
    await page.getByRole('spinbutton', { name: 'Move to position' }).fill('1')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    assert.deepEqual(await order(), ['4', '3', '1', '2'])
    await page.getByRole('checkbox', { name: /Select .*Never reached/ }).uncheck()
    await page.getByRole('checkbox', { name: /Select .*Names/ }).uncheck()
    await page.locator('li[data-id="2"] [draggable="true"]').dragTo(page.locator('li[data-id="3"]'))
    assert.deepEqual(await order(), ['4', '2', '3', '1'])
    assert.deepEqual(
      (await listRoutes(client)).body.routes.map(({ route_rule_id }) => route_rule_id),
      [1, 2, 3, 4],
    )
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await seen(page, /^Relay rules 4/)
    assert.deepEqual(
      (await listRoutes(client)).body.routes.map(({ route_rule_id }) => route_rule_id),
      [4, 2, 3, 1],
    )
  })

  it('says of the order on the screen, not of the stored one, which rule can never match', async () => {
    const { page } = await visitRules('/order', 'Order of the rules')
    const shadowed = (): Promise<string[]> =>
      page
        .locator('li[data-id]', { hasText: 'Never matches' })
        .evaluateAll((all) => all.map((one) => one.dataset['id'] ?? ''))
    await page.getByText('Never matches').waitFor()
    assert.deepEqual(await shadowed(), ['3'])
    await page.getByRole('button', { name: /Move .*Never reached.* up/ }).click()
    assert.deepEqual(await shadowed(), [])
    await page.getByRole('button', { name: /Move .*Never reached.* down/ }).click()
    assert.deepEqual(await shadowed(), ['3'])
  })

  it('fits on a phone, in order too', async () => {
    const { page } = await visitRules('', /^Relay rules 4/, { viewport: PHONE })
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
    await page.goto(`${host.base}routes/order`)
    await seen(page, 'Order of the rules')
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
