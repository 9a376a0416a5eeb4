// The comparison of store and host on the page: one row per interface, and only what the API offers to do.
import assert from 'node:assert/strict'
import { browsing, type Visit } from './support/browser.ts'
import { goTo, signedIn, startHost, type Host } from './support/host.ts'
import { relayHost, giveStranger } from './support/relays.ts'
import type { Client } from '../api/support/client.ts'
import { itemsOf } from '../api/support/reconcile.ts'
import { set } from '../api/support/settings.ts'
import { RULESET_CHANGED } from '@panel/shared/events/model.ts'
import { GRACE_MS } from '@panel/web-daemon/change/remediate.ts'

describe('The comparison of what is stored with the host', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    host = await startHost()
    client = await relayHost(host)
    giveStranger(host)
  })
  afterEach(() => host.close())
  const visitIt = async (query = ''): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `reconcile${query}`, 'Drift')
  const row = ({ page }: Visit, name: string) => page.getByRole('row', { name: new RegExp(name) }).first()

  it('has a row for each interface with a sentence, stored beside live, and the actions of the API alone', async () => {
    const held = host.kernel.held.get('gre-a-1')?.state
    assert.ok(held)
    host.kernel.held.get('gre-a-1')!.state = { ...held, config: { ...held.config, mtu: 1300 } }
    const visited = await visitIt()
    await row(visited, 'gre-a-1').getByText('It was changed on the server').waitFor()
    assert.match(
      await row(visited, 'gre-a-1').getByRole('table').innerText(),
      /Stored[\s\S]*On the server[\s\S]*1472[\s\S]*1300/,
    )
    await row(visited, 'gre-a-2').getByText('It is stored, but missing on the server.').waitFor()
    const items = (await itemsOf(client)).filter(({ status }) => status !== 'InSync')
    for (const { interface_name, actions } of items)
      assert.equal(await row(visited, interface_name).getByRole('button').count(), actions.length, interface_name)
    await visited.page.getByRole('button', { name: 'Reapply: Hamburg relay · gre-a-1', exact: true }).click()
    await row(visited, 'gre-a-1').waitFor({ state: 'detached' })
    await visited.page.getByRole('button', { name: 'Show', exact: true }).click()
    await row(visited, 'gre-a-1').getByText('The server matches what is stored.').waitFor()
  })

  it('only counts what is in sync, and puts back all that differs, with the result of each', async () => {
    host.kernel.held.delete('gre-a-1')
    host.kernel.rulesets.flush()
    const visited = await visitIt()
    const { page } = visited
    await page.getByText('2 interfaces are in sync').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Resting' }).count(), 0)
    await page.getByRole('button', { name: 'Reapply all 5' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reapply: 5 objects' })
    await dialog.getByRole('listitem').first().waitFor()
    assert.deepEqual((await dialog.getByRole('listitem').allInnerTexts()).sort(), [
      'All high ports',
      'Frankfurt · gre-a-2',
      'Hamburg relay · gre-a-1',
      'Never reached',
      'Web',
    ])
    await dialog.getByRole('button', { name: 'Reapply' }).click()
    await page.getByText('Done: 5 of 5.').waitFor()
    await page.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByText('4 interfaces are in sync').waitFor()
    assert.ok(host.kernel.held.has('gre-a-1') && host.kernel.rulesets.rules.has(1))
  })

  it('adopts a tunnel as it is, and ignores it with a way back', async () => {
    const visited = await visitIt()
    const { page } = visited
    await row(visited, 'gre-byhand')
      .getByRole('button', { name: /Ignore/ })
      .click()
    await row(visited, 'gre-byhand').waitFor({ state: 'detached' })
    await page.getByText('Ignored:').waitFor()
    await page.getByRole('button', { name: 'Report again: gre-byhand' }).click()
    await row(visited, 'gre-byhand').getByText('the panel does not manage it').waitFor()
    const before = host.kernel.picture()
    await row(visited, 'gre-byhand').getByRole('button', { name: /Adopt/ }).click()
    await page
      .getByRole('dialog', { name: /Adopt .*gre-byhand/ })
      .getByRole('button', { name: 'Adopt' })
      .click()
    await page
      .getByText(/gre-byhand.* is managed by the panel now/)
      .first()
      .waitFor()
    assert.equal(host.kernel.picture(), before)
  })

  it('deletes behind a dialog that names the relay rules which lose their path', async () => {
    const visited = await visitIt('?q=gre-a-1')
    await row(visited, 'gre-a-1')
      .getByRole('button', { name: /Delete/ })
      .click()
    const dialog = visited.page.getByRole('dialog', { name: /Delete .*gre-a-1/ })
    await dialog.getByText(/^Web \(/).waitFor()
    await visited.page.keyboard.press('Escape')
    assert.ok(host.kernel.held.has('gre-a-1'))
  })

  for (const [what, name, isNamed] of [
    ['forgets behind a dialog that names the relay rules which lose their tunnel', 'gre-a-1', true],
    ['forgets a tunnel without relay rules behind a dialog that speaks of none', 'gre-a-2', false],
  ] as const)
    it(what, async () => {
      const visited = await visitIt(`?q=${name}`)
      await row(visited, name)
        .getByRole('button', { name: /Forget/ })
        .click()
      const dialog = visited.page.getByRole('dialog', { name: new RegExp(`Forget .*${name}`) })
      const text = await dialog.innerText()
      if (isNamed) assert.match(text, /These relay rules lose their tunnel:\s+Web/)
      else assert.doesNotMatch(text, /These relay rules/)
    })

  it('says of rules which the kernel lost, and puts them back', async () => {
    host.kernel.rulesets.flush()
    const visited = await visitIt()
    await row(visited, 'Web').getByText('The kernel does not hold the rule').first().waitFor()
    await row(visited, 'Web')
      .getByRole('button', { name: /Reapply/ })
      .click()
    await visited.page
      .getByText(/Web.* is in sync again/)
      .first()
      .waitFor()
    assert.ok(host.kernel.rulesets.rules.has(1))
  })

  it('shows by itself who takes a rule away again and again, and forgets the pauses', async () => {
    await set(client, { 'system.self_heal': 'rules' })
    const looked = async (seconds: number): Promise<void> => {
      host.clock.advance(seconds)
      host.routeWatch.hint('all')
      await host.routeWatch.pass('event')
    }
    await looked(GRACE_MS / 1000 + 1)
    for (const pause of [0, 30]) {
      host.kernel.rulesets.flush()
      host.bus.publish('host.changed', { events: [{ ...RULESET_CHANGED, by: 'cron > nft' }] })
      await looked(0)
      await looked(pause)
      assert.ok(host.kernel.rulesets.rules.has(1))
    }
    await host.monitor.start()
    const visited = await visitIt()
    await row(visited, 'gre-a-2').waitFor()
    while (host.monitor.feed.topic.size === 0) await visited.page.waitForTimeout(20)
    host.kernel.rulesets.flush()
    await looked(0)
    await row(visited, 'Web').getByText('Taken away or changed 3 times').waitFor()
    assert.match(await row(visited, 'Web').innerText(), /last by cron > nft\. Next try at /)
    await visited.page.getByRole('button', { name: 'Try again now: Web' }).click()
    await visited.page.getByText('The pauses are reset').waitFor()
    await looked(0)
    assert.ok(host.kernel.rulesets.rules.has(1))
  })

  it('calls unreadable what cannot be read, and not fine', async () => {
    host.kernel.rulesets.unreadable = 'Operation not permitted'
    const visited = await visitIt()
    await visited.page.getByText("The kernel's rules cannot be read").waitFor()
    assert.equal(await visited.page.getByText('All rules in the kernel match what is stored.').count(), 0)
    visited.gates.allowConsole(/503/)
    host.sendHelperAway()
    await visited.page.getByRole('button', { name: 'Check now' }).click()
    await visited.page.getByText('nothing below shows its present state').waitFor()
  })
})
