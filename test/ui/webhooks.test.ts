// Notifications on the page: a target is added, tested, changed without its secrets, and deleted.
import assert from 'node:assert/strict'
import type { ListWebhooksAnswer } from '@panel/shared/api/webhooks.ts'
import type { Client } from '../api/support/client.ts'
import { answers, httpReceiver, type HttpReceiver } from '../api/support/receivers.ts'
import { set } from '../api/support/settings.ts'
import { stored } from '../api/support/webhooks.ts'
import { browsing, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, field, goTo, type Host, signedIn } from './support/host.ts'

describe('The notifications', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  let receiver: HttpReceiver
  eachHost(
    async (made) => made.setUp(),
    (made) => ({ host, client } = made),
  )
  beforeEach(async () => {
    receiver = await httpReceiver()
    await set(client, { 'webhooks.allow_private': true })
  })
  afterEach(() => receiver.close())

  const targets = async () => (await client.get<ListWebhooksAnswer>('/webhooks')).body.webhooks
  const visitTargets = async (path = '', heading: RegExp | string = /^Notifications/): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `webhooks${path}`, heading)
  const addHook = () =>
    client.post('/webhooks', { title: 'Hook', kind: 'ntfy', url: receiver.url, secret: 'tk', events: ['disk'] })

  it('are added from an empty page, with a secret to sign with that is shown once', async () => {
    const { page } = await visitTargets()
    await page.getByText('No notifications').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Add a target' }).first().click()
    await field(page, 'Name').fill('My program')
    await page.getByLabel('Type').selectOption({ label: 'Signed JSON' })
    await field(page, 'Address').fill(receiver.url)
    await page.getByText('What is sent, and how often').click()
    await page.getByRole('checkbox', { name: 'Disk filling up' }).uncheck()
    await page.getByRole('button', { name: 'Add a target' }).click()
    await page.getByText(/^whsec_/).waitFor()
    const [target] = await targets()
    assert.equal(target?.kind, 'json')
    assert.ok(!target.events.includes('disk'))
  })

  it('are listed each with what it reports, different though each begins with a capital', async () => {
    await client.post('/webhooks', { title: 'Hook', kind: 'slack', url: receiver.url, events: ['drift', 'disk'] })
    const { page } = await visitTargets()
    await page.getByText('Tunnel changed outside the panel · Disk filling up', { exact: true }).waitFor()
  })

  it('have a secret that is uncovered by its name, as it differs by kind', async () => {
    const { page } = await visitTargets('/new', 'Add a target')
    for (const [kind, uncover] of [
      ['Telegram', 'Show the token'],
      ['Signed JSON', 'Show the secret'],
      ['Email', 'Show the password'],
    ] as const) {
      await page.getByLabel('Type').selectOption({ label: kind })
      await page.getByLabel(uncover).check()
      assert.equal(await page.locator('input[name=secret]').getAttribute('type'), 'text', kind)
    }
  })

  it('say on the field what a target of the kind needs', async () => {
    const { page, gates } = await visitTargets('/new', 'Add a target')
    gates.expectAnswer(422, '/webhooks')
    await field(page, 'Name').fill('Mail')
    await page.getByRole('button', { name: 'Add a target' }).click()
    await page.locator('input[name=url][aria-invalid=true]').waitFor()
    await page.locator('input[name=sender][aria-invalid=true]').waitFor()
    assert.match(await complaintOf(page, 'From'), /^Fill in this field: a target of the type email needs it/)
  })

  it('need three answers, and the rest is folded away', async () => {
    const { page } = await visitTargets('/new', 'Add a target')
    await page.getByLabel('Type').selectOption({ label: 'Slack' })
    assert.equal(await page.locator('form').locator('input:visible, select:visible, textarea:visible').count(), 3)
  })

  it('can be tested before they are saved, which saves nothing and keeps what was typed', async () => {
    const { page, gates } = await visitTargets('/new', 'Add a target')
    gates.expectAnswer(422, '/webhooks/try')
    await page.getByLabel('Type').selectOption({ label: 'ntfy' })
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.locator('input[name=url][aria-invalid=true]').waitFor()
    await page.locator('input[name=title][aria-invalid=true]').waitFor()
    await field(page, 'Name').fill('Phone')
    await field(page, 'Address').fill(receiver.url)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Phone has taken the test').first().waitFor()
    assert.equal(receiver.received.length, 1)
    receiver.behaves = answers(500)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The receiver answered 500').first().waitFor()
    assert.deepEqual(await targets(), [])
    assert.equal(await field(page, 'Address').inputValue(), receiver.url)
    await page.getByRole('button', { name: 'Add a target' }).click()
    await page.getByText('The target Phone is saved').first().waitFor()
  })

  it('name the fault of an address: only https, unless targets inside are allowed', async () => {
    await set(client, { 'webhooks.allow_private': false })
    const { page, gates } = await visitTargets('/new', 'Add a target')
    gates.expectAnswer(422, '/webhooks')
    await page.getByLabel('Type').selectOption({ label: 'Signed JSON' })
    await field(page, 'Name').fill('Mine')
    await field(page, 'Address').fill('http://hooks.example.net/panel')
    await page.getByRole('button', { name: 'Add a target' }).click()
    await page.locator('input[name=url][aria-invalid=true]').waitFor()
    assert.match(await complaintOf(page, 'Address'), /^The address must begin with https/)
  })

  it('are tested, and say in words why a test did not arrive', async () => {
    await addHook()
    const { page } = await visitTargets()
    await page.locator('[data-state=unknown]').getByText('Nothing has arrived yet').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('has taken the test').first().waitFor()
    assert.equal(receiver.received.length, 1)
    await page.locator('[data-state=up]').getByText('On', { exact: true }).waitFor()
    await page.getByText(/^Last arrival: /).waitFor()
    receiver.behaves = answers(500)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The receiver answered 500').first().waitFor()
    await page.getByText('Not arriving').waitFor()
  })

  it('say in the list and on the page of a target how many were deleted unsent, since when and why', async () => {
    await addHook()
    await host.db
      .updateTable('webhook')
      .set({
        discarded_too_old: 1,
        discarded_no_room: 12,
        discarded_since: '2026-05-03T10:00:00.000Z',
        discarded_last: '2026-05-04T10:00:00.000Z',
      })
      .execute()
    for (const [path, heading] of [
      ['', /^Notifications/],
      ['/1/edit', 'Hook'],
    ] as const) {
      const { page } = await visitTargets(path, heading)
      await page.getByText(/^1 message deleted unsent since .*2026.*: older than 7 days$/).waitFor()
      await page.getByText(/^12 messages deleted unsent since .*2026.*: more than 10,000 were kept$/).waitFor()
    }
  })

  const tunnelIsDown = (tunnel_id: number): Promise<void> => {
    const reason = { message: 'x', message_id: '', params: {} } as const
    const change = { tunnel_id, interface_name: `gre-a-${tunnel_id}`, from: 'Up', to: 'Down', reason } as const
    return stored(host, 'tunnel.state', change)
  }

  it('are changed without their secrets, and list what was sent', async () => {
    await addHook()
    host.notifications.start(async () => [])
    await tunnelIsDown(1)
    const { page } = await visitTargets('/1/edit', 'Hook')
    await field(page, 'Name').fill('Renamed')
    await page.getByRole('checkbox', { name: 'Tunnel down or up' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Renamed' }).first().waitFor()
    await tunnelIsDown(2)
    await page.getByRole('main').getByRole('link', { name: 'Renamed' }).click()
    await page.getByRole('row', { name: /Tunnel .*gre-a-2.* is down/ }).waitFor()
    assert.equal(receiver.received[0]?.headers['authorization'], 'Bearer tk')
  })

  it('are deleted behind a dialog', async () => {
    await addHook()
    const { page } = await visitTargets()
    await page.getByRole('button', { name: /Delete .*Hook/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No notifications').waitFor()
    assert.deepEqual(await targets(), [])
  })
})
