// The page after set-up: sign-in, and the tunnels with what the host has otherwise than configured, whatever is away.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { OPERATOR } from '../api/support/panel.ts'
import { browsing, type Visit } from './support/browser.ts'
import { saved, saveList } from './support/lists.ts'
import { complaintOf, eachHost, field, goTo, type Host, seen, signedIn, signIn, tunnelHost } from './support/host.ts'

describe('The list of tunnels', () => {
  const { visit } = browsing()
  let host: Host
  eachHost(tunnelHost, (made) => ({ host } = made))

  const visitTunnels = async (query = ''): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `tunnels${query}`, /^Tunnels 4/)

  it('is behind a sign-in that says that the password is wrong, and keeps the name', async () => {
    const { page, gates } = await visit(host)
    gates.expectAnswer(401, '/auth/login')
    await signIn(page, 'not the password')
    await page.getByRole('alert').filter({ hasText: 'The username or the password is wrong' }).waitFor()
    assert.equal(await field(page, 'Username').inputValue(), OPERATOR.username)
    await field(page, 'Username').fill('')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.match(await complaintOf(page, 'Username'), /missing/)
  })

  it('has a line for each, and what is configured and what is on the host only where they differ', async () => {
    const { page } = await visitTunnels()
    assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), [
      'State',
      'Tunnel',
      'Endpoints',
      'Address',
      'Round trip',
      'Uptime',
    ])
    const [, ends, address] = await cellsOf(page, 'gre-a-1')
    assert.match(ends ?? '', /^192\.0\.2\.1\s*⇄\s*to\s*198\.51\.100\.7$/)
    assert.equal(address, '172.17.1.1/30')
    assert.match(await noteOf(page, 'gre-a-2').innerText(), /^Configured:\s*Enabled\s*·\s*On the server:\s*Missing/)
    for (const same of ['gre-a-1', 'gre-a-4']) assert.equal(await noteOf(page, same).count(), 0, same)
  })

  it('has entries in the menu of a row that are one as wide as the other, whether they act or lead elsewhere', async () => {
    const { page } = await visitTunnels()
    await page.locator('tbody .actions button').first().click()
    const entries = page.locator('[popover]:popover-open :is(a, button)')
    await entries.nth(3).waitFor()
    const places = await entries.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => `${left} to ${right}`),
    )
    assert.equal(new Set(places).size, 1, places.join(', '))
  })

  it('shows the host again on request, and of its link what is not as configured', async () => {
    const { page } = await visitTunnels()
    const link = host.kernel.held.get('gre-a-4')
    if (link?.state) link.state = { ...link.state, config: { ...link.state.config, mtu: 1400 } }
    const far = host.kernel.held.get('long-name-gre-6')
    if (far?.state) far.state = { ...far.state, config: { ...far.state.config, addresses: [] } }
    host.kernel.held.delete('gre-a-1')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page
      .getByRole('row', { name: /gre-a-1/ })
      .getByText('Missing')
      .waitFor()
    assert.match(await noteOf(page, 'gre-a-4').innerText(), /^Configured: MTU 1472\s*·\s*On the server: MTU 1400$/)
    assert.match(
      await noteOf(page, 'long-name-gre-6').innerText(),
      /^Configured: 172\.17\.3\.1\/30\s*·\s*On the server: –$/,
    )
  })

  it('says that the helper is away, and still lists what is configured', async () => {
    const { page } = await visitTunnels()
    host.sendHelperAway()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page
      .getByRole('row', { name: /gre-a-1/ })
      // Beside the one of the monitor.
      .getByText('Unknown')
      .nth(1)
      .waitFor()
    assert.match(await noteOf(page, 'gre-a-1').innerText(), /^Configured:\s*Enabled\s*·\s*On the server:\s*Unknown/)
    assert.equal((await cellsOf(page, 'gre-a-1'))[2], '172.17.1.1/30')
    await page.reload()
    await page.getByRole('button', { name: /Not working: Root helper/ }).click()
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor()
  })

  it('turns the health in the header within 3 s when the helper goes, without a reload', async () => {
    const { page } = await visitTunnels()
    await page.getByRole('button', { name: /Ready/ }).waitFor()
    host.sendHelperAway()
    await page.getByRole('button', { name: /Not working: Root helper/ }).waitFor()
  })

  it("says first what to do where the server cannot make tunnels, and then the kernel's words", async () => {
    host.kernel.supportsGre = false
    const { page } = await visitTunnels()
    await page.getByRole('button', { name: /Kernel tunnel support/ }).click()
    await page.getByText(/^Load the GRE driver as root: modprobe -a ip_gre.*gre \(Unknown device type\)/).waitFor()
  })

  it('keeps what it last saw when the daemon is gone, and says so', async () => {
    const { page, context, gates } = await visitTunnels()
    gates.allowConsole(/ERR_CONNECTION_REFUSED/)
    await context.route('**/api/**', (route) => route.abort('connectionrefused'))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('The panel does not answer. Is its daemon running').waitFor()
    assert.equal(await page.getByRole('row', { name: /gre-a-1/ }).count(), 1)
  })

  it('stays signed in over a reload, and renews a session that ran out without a word', async () => {
    const { page, gates } = await visitTunnels()
    await page.reload()
    await seen(page, /^Tunnels 4/)
    host.clock.advance(2 * 60 * 60)
    gates.allowConsole(/401 \(Unauthorized\)/)
    const renewals: number[] = []
    page.on('response', (answer) => void (answer.url().endsWith('/auth/refresh') && renewals.push(answer.status())))
    const again = page.waitForResponse((answer) => answer.url().includes('/tunnels?') && answer.ok())
    await page.getByRole('button', { name: 'Refresh' }).click()
    await again
    assert.deepEqual(renewals, [200])
    await seen(page, /^Tunnels 4/)
  })

  it('signs out, and shows nothing of the host any more', async () => {
    const { page } = await visitTunnels()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await seen(page, 'Sign in')
    assert.doesNotMatch(await page.content(), /gre-a-1|198\.51\.100/)
    await page.reload()
    await seen(page, 'Sign in')
  })

  it('is saved as a table of what the search leaves', async () => {
    const { page } = await visitTunnels()
    await page.getByRole('searchbox').fill('frank')
    await page.waitForURL(/\?q=frank$/)
    const { name, lines } = await saved(page, () => saveList(page))
    assert.equal(name, 'tunnels-DAY.csv')
    assert.match(lines[0] ?? '', /^tunnel_id,interface_name,display_name,tags,is_enabled,state,oper_state,type,/)
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',').slice(1, 3)),
      [['gre-a-2', 'Frankfurt']],
    )
  })

  it('is searched in one box whose filters are in the address, over reload and back', async () => {
    const { page } = await visitTunnels()
    await page.keyboard.press('/')
    await page.keyboard.type('frank')
    await page.getByText('1 of 4').waitFor()
    await page.waitForURL(/\?q=frank$/)
    await page.reload()
    await page.getByText('1 of 4').waitFor()
    assert.equal(await page.getByRole('row').count(), 2)
    await page.getByRole('searchbox').fill('-is:missing is:enabled')
    await page.getByText('2 of 4').waitFor()
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await seen(page, 'Overview')
    await page.goBack()
    await page.getByText('2 of 4').waitFor()
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('4 of 4').waitFor()
  })
})

const rowOf = (page: Page, tunnel: string): Locator => page.getByRole('row', { name: new RegExp(tunnel) })
/** The cells of a tunnel's row but its name: state, ends, addresses. */
const cellsOf = (page: Page, tunnel: string): Promise<string[]> =>
  rowOf(page, tunnel).getByRole('cell').locator('.value').allInnerTexts()
/** The line below its cells. */
const noteOf = (page: Page, tunnel: string): Locator => rowOf(page, tunnel).locator('.note')
