// The wizard: three steps from nothing to a tunnel, on the first server and, by its code, on the second.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { browsing, PHONE } from './support/browser.ts'
import { complaintOf, field, goTo, seen, signedIn, startHost, type Host } from './support/host.ts'

describe('Making a tunnel on the page', () => {
  const { visit } = browsing()
  let host: Host
  let second: Host | null
  let client: Client
  beforeEach(async () => {
    second = null
    host = await startHost()
    client = await host.setUp()
  })
  afterEach(() => Promise.all([host.close(), second?.close()]))

  /** The field for this server's address, which is a combobox if there is a list to choose from. */
  const own = (page: Page): Locator => page.getByRole('combobox', { name: "This server's address" })
  const fillEnds = async (page: Page, local: string, remote: string): Promise<void> => {
    await own(page).fill(local)
    await field(page, "The other server's address").fill(remote)
  }

  it('begins on this server, shows the next free subnet and the plan in words, makes just that, and gives the code', async () => {
    const { page, gates } = await goTo(await signedIn(await visit(host)), host, 'tunnels/new', 'Create a tunnel')
    await page.getByRole('button', { name: 'Start here' }).click()
    await page.getByText('172.17.1.0/30').waitFor()
    gates.expectAnswer(422, '/tunnels/preview')
    await fillEnds(page, '192.0.2.1', 'not an address')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    assert.match(await complaintOf(page, "The other server's address"), /is not an IP address/)
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'remote_endpoint')
    await fillEnds(page, '192.0.2.1', '198.51.100.7')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText(/^Create the gre link gre-a-1 from 192\.0\.2\.1 to 198\.51\.100\.7 with MTU 1472\.$/).waitFor()
    assert.deepEqual(host.kernel.changes, [], 'a plan changes nothing')
    await page
      .getByText(/^File .*\.service$/)
      .first()
      .click()
    await page
      .getByText(/ExecStart=/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Create the tunnel' }).click()
    await page.locator('[data-pairing-code]').waitFor()
    assert.match(await page.locator('[data-pairing-code]').innerText(), /^v1\./)
    assert.match(page.url(), /\/tunnels\/1\/pairing$/)
    assert.ok(host.kernel.held.has('gre-a-1'))
  })

  it('offers the addresses that this server has, the likeliest there already, of the family of the other end, until another is typed', async () => {
    const [loopback, card] = host.kernel.hostInterfaces
    assert.ok(loopback && card)
    host.kernel.hostInterfaces = [
      loopback,
      { ...card, index: 3, name: 'br0', class: 'other', addresses: ['172.18.0.1/16'] },
      { ...card, index: 4, name: 'off0', is_up: false, addresses: ['192.0.2.9/24'] },
      { ...card, addresses: ['10.0.0.5/24', '192.0.2.1/24', '2001:db8::1/64', 'fe80::1/64'] },
    ]
    const { page } = await goTo(await signedIn(await visit(host)), host, 'tunnels/new', 'Create a tunnel')
    const stands = (address: string): Promise<unknown> =>
      page.waitForFunction(
        (wanted) => document.querySelector<HTMLInputElement>('input[name=local_endpoint]')?.value === wanted,
        address,
      )
    const offered = (): Promise<string[]> =>
      page
        .locator('datalist option')
        .evaluateAll((all) => all.map((one) => `${one.getAttribute('value')} ${one.textContent}`))
    await page.getByRole('button', { name: 'Start here' }).click()
    await stands('192.0.2.1')
    await page.getByText('An address of this server, on eth0.').waitFor()
    assert.deepEqual(await offered(), ['192.0.2.1 eth0', '10.0.0.5 eth0', '172.18.0.1 br0'])
    assert.equal(await own(page).getAttribute('list'), await page.locator('datalist').getAttribute('id'))
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await seen(page, 'Overview')
    await page.goBack()
    await page.getByRole('button', { name: 'Start here' }).click()
    await stands('192.0.2.1')
    await field(page, "The other server's address").fill('2001:db8:ff::7')
    await stands('2001:db8::1')
    await own(page).fill('192.0.2.77')
    await field(page, "The other server's address").fill('198.51.100.7')
    assert.equal(await own(page).inputValue(), '192.0.2.77')
  })

  it('says on the field when the way back to the first step has nothing to read', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'tunnels/new?code', 'Create a tunnel')
    await page.getByRole('button', { name: 'Read the code' }).click()
    assert.match(await complaintOf(page, 'Pairing code'), /begins with/)
  })

  it('reads a code as soon as it is pasted, and says on the field what is wrong with one that cannot be read', async () => {
    await createTunnel(client)
    const { pairing_code } = (await client.get<{ pairing_code: string }>('/tunnels/1/pairing-code')).body
    const { page, gates, context } = await goTo(
      await signedIn(await visit(host)),
      host,
      'tunnels/new?code',
      'Create a tunnel',
    )
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const paste = async (text: string): Promise<void> => {
      await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
      await field(page, 'Pairing code').click()
      for (const keys of ['Control+A', 'Control+V']) await page.keyboard.press(keys)
    }
    for (const [text, fault] of [
      [pairing_code.slice(3), /must begin with .v1\../],
      [`${pairing_code.slice(0, -1)}!`, /characters that do not belong there/],
      [pairing_code.slice(0, -9), /is damaged|is cut off|lacks some/],
    ] as const) {
      gates.expectAnswer(422, '/tunnels/from-pairing-code')
      await paste(text)
      await page.locator('form p').filter({ hasText: fault }).waitFor()
      assert.match(await complaintOf(page, 'Pairing code'), fault)
    }
    // It is the code of this very server, so the plan is refused, and the form shows what stands against it.
    gates.expectAnswer(422, '/tunnels/preview')
    await paste(`${pairing_code.slice(0, 30)}\n${pairing_code.slice(30)} `)
    await page.getByText('172.17.1.2/30').waitFor()
    assert.match(await complaintOf(page, "The other server's address"), /address of another server/)
  })

  it('goes on from the code of the first server, on a phone too, and both ends fit', async () => {
    await createTunnel(client)
    const { pairing_code } = (await client.get<{ pairing_code: string }>('/tunnels/1/pairing-code')).body
    second = await startHost()
    await second.setUp()
    second.kernel.hostInterfaces = second.kernel.hostInterfaces.map((one) =>
      one.name === 'eth0' ? { ...one, addresses: ['198.51.100.7/24'] } : one,
    )
    const { page, gates } = await goTo(
      await signedIn(await visit(second, { viewport: PHONE })),
      second,
      'tunnels/new?code',
      'Create a tunnel',
    )
    gates.expectAnswer(422, '/tunnels/from-pairing-code')
    await field(page, 'Pairing code').fill(pairing_code.slice(0, -5))
    await page.getByRole('button', { name: 'Read the code' }).click()
    assert.match(await complaintOf(page, 'Pairing code'), /checksum does not match|is cut off|lacks some/)
    await field(page, 'Pairing code').fill(`${pairing_code.slice(0, 30)}\n${pairing_code.slice(30)} `)
    await page.getByRole('button', { name: 'Read the code' }).click()
    await page.getByText('172.17.1.2/30').waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
    await page.getByRole('button', { name: 'Back' }).click()
    assert.equal(await own(page).inputValue(), '198.51.100.7')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('button', { name: 'Create the tunnel' }).click()
    await seen(page, 'gre-b-1')
    const [a, b] = [host.kernel.held.get('gre-a-1')?.state?.config, second.kernel.held.get('gre-b-1')?.state?.config]
    assert.deepEqual(
      [b?.local_endpoint, b?.remote_endpoint, b?.ikey, b?.okey, b?.mtu],
      [a?.remote_endpoint, a?.local_endpoint, a?.okey, a?.ikey, a?.mtu],
    )
  })
})
