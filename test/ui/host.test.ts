// The page after set-up: sign-in, and the host as it is beside what is configured, whatever is away.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { OPERATOR } from '../api/support/panel.ts'
import { browsing, type Visit } from './support/browser.ts'
import { field, giveTunnels, seen, signedIn, signIn, startHost, textOf, type Host } from './support/host.ts'

describe('The page after set-up', () => {
  const { visit } = browsing()
  let host: Host
  beforeEach(async () => {
    host = await startHost()
    await giveTunnels(host, await host.setUp())
  })
  afterEach(() => host.close())

  const visitSignedIn = async (): Promise<Visit> => signedIn(await visit(host))

  it('says that the password is wrong, and keeps the name', async () => {
    const { page, gates } = await visit(host)
    gates.expectAnswer(401, '/auth/login')
    await signIn(page, 'not the password')
    await page.getByRole('alert').filter({ hasText: 'The username or the password is wrong' }).waitFor()
    assert.equal(await field(page, 'Username').inputValue(), OPERATOR.username)
  })

  it('lists what is configured beside what is on the host', async () => {
    const { page } = await visitSignedIn()
    assert.deepEqual(await page.getByRole('columnheader').allTextContents(), ['Tunnel', 'Endpoints', 'Configured', 'On the host'])
    const stands = await cellsOf(page, 'gre-a-1')
    assert.match(stands[1] ?? '', /^Enabled.*MTU 1472/)
    assert.match(stands[2] ?? '', /^up \(GRE reports no carrier\).*MTU 1472/)
    const [, configured, host_] = await cellsOf(page, 'gre-a-2')
    assert.match(configured ?? '', /^Enabled/)
    assert.match(host_ ?? '', /^missing/)
    assert.match((await cellsOf(page, 'gre-a-4'))[2] ?? '', /^down/)
  })

  it('shows the host anew when asked', async () => {
    const { page } = await visitSignedIn()
    host.kernel.held.delete('gre-a-1')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('row', { name: /gre-a-1/ }).getByText('missing').waitFor()
  })

  it('says that the helper is away, and still lists what is configured', async () => {
    const { page, gates } = await visitSignedIn()
    host.sendHelperAway()
    gates.expectAnswer(503, '/system/capabilities')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('row', { name: /gre-a-1/ }).getByText('not known').waitFor()
    assert.match(await textOf(page, '#state'), /Not working: Root helper/)
    assert.match(await textOf(page, '#health'), /Root helper.*not working.*cannot be reached/s)
    assert.match(await textOf(page, '#capabilities'), /cannot be reached/)
    assert.match((await cellsOf(page, 'gre-a-1'))[1] ?? '', /^Enabled.*MTU 1472/)
  })

  it('says in the kernel\'s words which tunnels this host cannot make', async () => {
    host.kernel.supportsGre = false
    const { page } = await visitSignedIn()
    assert.match(await textOf(page, '#capabilities'), /GRE tunnels.*no.*The kernel says: Unknown device type/s)
  })

  it('keeps what it last saw when the daemon is gone, and says so', async () => {
    const { page, context, gates } = await visitSignedIn()
    await context.route('**/api/**', (route) => route.abort('connectionrefused'))
    gates.expectAnswer(0, '/system/health')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('alert').filter({ hasText: 'The panel does not answer' }).waitFor()
    assert.match(await textOf(page, '#state'), /Not known/)
    assert.equal(await page.getByRole('row', { name: /gre-a-1/ }).count(), 1)
  })

  it('stays signed in over a reload, and renews a session that ran out', async () => {
    const { page, gates } = await visitSignedIn()
    await page.reload()
    await seen(page, /^Tunnels/)
    host.clock.advance(2 * 60 * 60)
    gates.expectAnswer(401, '/auth/me')
    const renewed = page.waitForResponse(/auth\/refresh$/)
    const again = page.waitForResponse((answer) => answer.url().endsWith('/auth/me') && answer.ok())
    await page.getByRole('button', { name: 'Refresh' }).click()
    assert.equal((await renewed).status(), 200)
    await again
    await seen(page, /^Tunnels/)
  })

  it('signs out, and shows nothing of the host any more', async () => {
    const { page } = await visitSignedIn()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await seen(page, 'Sign in')
    assert.doesNotMatch(await page.content(), /gre-a-1|198\.51\.100/)
    await page.reload()
    await seen(page, 'Sign in')
  })
})

/** The cells of a tunnel's row: its ends, what is configured, what is on the host. */
const cellsOf = (page: Page, tunnel: string): Promise<string[]> => page.getByRole('row', { name: new RegExp(tunnel) }).getByRole('cell').allTextContents()
