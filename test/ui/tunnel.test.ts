// One tunnel on the page: the stored beside the seen, what can be done to it and undone, and the other server's code.
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { createRoute } from '../api/support/routes.ts'
import { browsing, type Look, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, goTo, type Host, scrollToEnd, seen, signedIn, tunnelHost } from './support/host.ts'

describe('A tunnel on the page', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(tunnelHost, (made) => ({ host, client } = made))

  const visitTunnel = async (path = '1', heading: RegExp = /gre-a-1/, look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, `tunnels/${path}`, heading)

  it('shows the stored beside what the host has, says what differs, and puts it right in one click', async () => {
    const { page } = await visitTunnel('2', /gre-a-2/)
    await page.getByText('The interface is missing on the server.').waitFor()
    await page.getByRole('button', { name: 'Reapply' }).click()
    await page.getByText('gre-a-2 is in sync again').first().waitFor()
    await page.getByRole('row', { name: /^State Enabled Up \(GRE reports no carrier\)/ }).waitFor()
    assert.ok(host.kernel.held.has('gre-a-2'))
  })

  it('is disabled, and enabled again by the Undo of its toast', async () => {
    const { page } = await visitTunnel()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('gre-a-1 is disabled').first().waitFor()
    assert.equal(host.kernel.held.get('gre-a-1')?.state?.is_up, false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Disable' }).waitFor()
    assert.equal(host.kernel.held.get('gre-a-1')?.state?.is_up, true)
  })

  it('with relay rules over it needs a confirmation before it is disabled, and they are named', async () => {
    await createRoute(client, { route_rule_title: 'Mail', bind_port: 2525, tunnel_id: 1 })
    const { page } = await visitTunnel()
    await page.getByRole('button', { name: 'Disable' }).click()
    const dialog = page.getByRole('dialog', { name: 'Disable Hamburg relay · gre-a-1?' })
    await dialog.getByText(/Mail/).waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(host.kernel.held.get('gre-a-1')?.state?.is_up, true, 'Enter by habit is Cancel')
    assert.equal(await page.getByText('gre-a-1 is disabled').count(), 0)
  })

  it('is deleted after a dialog with its name, whose Cancel has the focus', async () => {
    const { page, gates } = await visitTunnel()
    // What the page asks about the tunnel may be on its way as that goes.
    gates.allowConsole(/404.*\/tunnels\/1\/(history|status)/)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Hamburg relay · gre-a-1?' })
    await dialog.waitFor()
    assert.equal(await page.evaluate(() => document.activeElement?.textContent.trim()), 'Cancel')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await seen(page, /^Tunnels 3/)
    assert.ok(!host.kernel.held.has('gre-a-1'))
  })

  it('gets an address and loses it, each applied at once, with what is wrong on its field', async () => {
    const { page, gates } = await visitTunnel()
    await scrollToEnd(page)
    await page.getByText('Add an address').click()
    gates.expectAnswer(422, '/tunnels/1/addresses')
    await page.getByLabel('Address', { exact: true }).fill('10.99.0.300')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    assert.match(await complaintOf(page, 'Address'), /is not an IP address/)
    await page.getByLabel('Address', { exact: true }).fill('10.99.0.1')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('10.99.0.1/30').first().waitFor()
    await page.getByRole('button', { name: 'Remove 10.99.0.1' }).click()
    await page.getByText('10.99.0.1 is removed').first().waitFor()
    assert.deepEqual(
      host.kernel.held.get('gre-a-1')?.state?.config.addresses.map(({ address }) => address),
      ['172.17.1.1'],
    )
  })

  it('gets an address that overlaps a route, and loses its last one, only where the operator says so', async () => {
    const { page, gates } = await visitTunnel()
    host.kernel.hostRoutes = [
      ...host.kernel.hostRoutes,
      {
        destination: '10.77.0.0/30',
        gateway: '',
        device: 'eth0',
        is_default: false,
        source: '',
        table: 254,
        protocol: 'static',
        metric: 0,
      },
    ]
    await scrollToEnd(page)
    await page.getByText('Add an address').click()
    await page.getByLabel('Address', { exact: true }).fill('10.77.0.1')
    gates.expectAnswer(422, '/tunnels/1/addresses')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    assert.match(await complaintOf(page, 'Address'), /overlaps/)
    await page.getByRole('switch', { name: 'Apply anyway' }).check()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('10.77.0.1/30').first().waitFor()
    await page.getByRole('button', { name: 'Remove 10.77.0.1' }).click()
    await page.getByText('10.77.0.1 is removed').first().waitFor()
    await page.getByRole('button', { name: 'Remove 172.17.1.1' }).click()
    await page
      .getByRole('dialog', { name: 'Remove the last address of Hamburg relay · gre-a-1?' })
      .getByRole('button', { name: 'Remove' })
      .click()
    await page.getByText('172.17.1.1 is removed').first().waitFor()
    assert.deepEqual(host.kernel.held.get('gre-a-1')?.state?.config.addresses, [])
  })

  it('tells what the kernel counted on its interface, and how fast it moves, when that is opened', async () => {
    const { page } = await visitTunnel()
    await scrollToEnd(page)
    await page.getByText('Counters of the interface').click()
    const table = page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'Received' }) })
    for (const name of ['Now', 'Bytes', 'Packets', 'Errors', 'Dropped'])
      await table.getByRole('rowheader', { name, exact: true }).waitFor()
    assert.match(await table.getByRole('row', { name: /^Now/ }).innerText(), /\d.*\/s/)
  })

  it('is changed in place by one Save that is verified; what the far end follows, or recreates it, only after its reasons were read', async () => {
    const { page, gates } = await visitTunnel('1/edit')
    await page.getByLabel('MTU').fill('1400')
    await page.getByLabel('TTL').fill('64')
    await page.getByText('Not saved yet').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('gre-a-1 is saved, and verified in the kernel').first().waitFor()
    const held = host.kernel.held.get('gre-a-1')
    assert.deepEqual([held?.state?.config.mtu, held?.state?.config.ttl], [1400, 64])
    for (const [label, value, title, reason, action] of [
      [
        "The other server's address",
        '198.51.100.8',
        'Change',
        /: 198\.51\.100\.8 instead of .* until the other end has/,
        'Change',
      ],
      ['Interface name', 'berlin', 'Recreate', /: only a new link can have berlin/, 'Recreate'],
    ] as const) {
      gates.expectAnswer(409, '/tunnels/1')
      await page.getByLabel(label).fill(value)
      await page.getByRole('button', { name: 'Save' }).click()
      const dialog = page.getByRole('dialog', { name: `${title} Hamburg relay · gre-a-1?` })
      await dialog.getByText(reason).waitFor()
      await dialog.getByRole('button', { name: action, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.waitForFunction(() => !document.body.textContent.includes('Not saved yet'))
    }
    assert.equal(held?.state?.config.remote_endpoint, '198.51.100.8')
    assert.equal(host.kernel.held.get('berlin')?.state?.config.remote_endpoint, '198.51.100.8')
  })

  it('has every option that seldom matters folded away, each with its own error, and sends what was changed alone', async () => {
    const { page, gates } = await visitTunnel('1/edit')
    await page.getByLabel('Multicast').selectOption('Yes')
    await page.getByText('Monitoring of this tunnel').click()
    await page.getByLabel('Monitored').selectOption('No')
    await page.getByLabel('Sample window').fill('7')
    await page.getByText('Keepalive', { exact: true }).click()
    await page.getByLabel('Time between two pings (seconds)').fill('99999')
    gates.expectAnswer(422, '/tunnels/1')
    await page.getByRole('button', { name: 'Save' }).click()
    assert.match(await complaintOf(page, 'Time between two pings (seconds)'), /3600/)
    await page.getByLabel('Time between two pings (seconds)').fill('2.5')
    await page.getByLabel('Tags').fill('to the sea, spare')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    assert.deepEqual((await sent).postDataJSON(), {
      is_multicast: true,
      tags: ['to the sea', 'spare'],
      is_monitor_enabled: false,
      monitor_window_size: 7,
      keepalive_interval_seconds: 2.5,
    })
    await page.getByText('gre-a-1 is saved, and verified in the kernel').first().waitFor()
    const { body } = await client.get('/tunnels/1')
    assert.deepEqual(
      [body['is_monitor_enabled'], body['monitor_window_size'], body['keepalive_interval_seconds']],
      [false, 7, 2.5],
    )
    await page.getByText('Outer packets').click()
    assert.equal(await page.getByLabel('Flow label').count(), 0, 'which IPv6 alone has')
    gates.expectAnswer(409, '/tunnels/1')
    await page.getByLabel('Firewall mark').fill('9')
    await page.getByLabel('Put a checksum into outgoing packets').selectOption('Yes')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('dialog', { name: 'Change Hamburg relay · gre-a-1?' })
      .getByRole('button', { name: 'Change', exact: true })
      .click()
    await page.waitForFunction(() => !document.body.textContent.includes('Not saved yet'))
    const { fwmark, has_output_checksum, is_multicast } = host.kernel.held.get('gre-a-1')?.state?.config ?? {}
    assert.deepEqual([fwmark, has_output_checksum, is_multicast], [9, true, true])
  })

  it('is not left with unsaved changes without a word', async () => {
    const { page } = await visitTunnel('1/edit')
    await page.getByLabel('MTU').fill('1300')
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await page.getByLabel('MTU').inputValue(), '1300')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await seen(page, 'Overview')
  })

  it('shows the code for the other server, to be copied even over plain HTTP, and as a picture', async () => {
    const { page } = await visitTunnel('1/pairing')
    const code = await page.locator('[data-pairing-code]').innerText()
    assert.equal(code, (await client.get('/tunnels/1/pairing-code')).body['pairing_code'])
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await page.evaluate(() =>
      document.addEventListener('copy', () => Object.assign(window, { copied: document.getSelection()?.toString() })),
    )
    await page.getByRole('button', { name: 'Copy the code' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('window.copied'), code)
    await page.getByRole('img', { name: 'QR code' }).waitFor()
  })
})
