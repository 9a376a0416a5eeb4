// A change that may cut the operator's own connection: confirmed with the address of the browser, waited for behind an
// overlay, and reported as it ended, however the answer fared.
import assert from 'node:assert/strict'
import type { Locator, Page, Route } from 'playwright-core'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { Client } from '../api/support/client.ts'
import { listNetworks } from '../api/support/networks.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { brokenNames } from './support/broken-names.ts'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { goTo, signedIn, startHost, type Host } from './support/host.ts'

describe("A change under the operator's own connection", () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    host = await startHost()
    client = await host.setUp()
    await createTunnel(client, { addresses: [{ address: '10.9.5.1', prefix_length: 24 }] })
    await sitInside(host)
  })
  afterEach(() => host.close())

  /** On the tunnel's page, with a clock that a test can move. */
  const visitTunnel = async (): Promise<Visit> => {
    const visited = await signedIn(await visit(host))
    await visited.page.clock.install()
    return goTo(visited, host, 'tunnels/1', /gre-a-1/)
  }
  const curtain = (page: Page): Locator => page.getByRole('dialog', { name: 'Change of gre-a-1' })
  const takeDown = async ({ page, gates }: Visit): Promise<void> => {
    gates.expectAnswer(409, '/tunnels/1/down')
    await page.getByRole('button', { name: 'Disable' }).click()
    const question = page.getByRole('dialog', { name: 'You may lose access to the panel' })
    await question.getByText('Your browser is connected from 127.0.0.1, through gre-a-1.').waitFor()
    await question.getByRole('button', { name: 'Apply anyway' }).click()
  }
  const isUp = async (): Promise<boolean> => (await client.get<{ is_enabled: boolean }>('/tunnels/1')).body.is_enabled

  it('goes on behind a curtain after 300 ms and no sooner, which says whence the browser comes, and then "applied"', async () => {
    const visited = await visitTunnel()
    const { page } = visited
    const held = await holdAccepted(page, (route) => route.continue())
    await page.clock.pauseAt(Date.now() + 60_000)
    await takeDown(visited)
    await held.arrived
    await page.clock.runFor(299)
    assert.equal(await curtain(page).count(), 0)
    await page.clock.runFor(1)
    await curtain(page)
      .getByText('Your browser is connected from 127.0.0.1, through gre-a-1: that connection may end now.')
      .waitFor()
    await page.keyboard.press('Escape')
    await page.clock.resume()
    held.release()
    await curtain(page).getByText('Applied, and verified in the kernel.').waitFor()
    assert.equal(await isUp(), false)
    await curtain(page).getByRole('button', { name: 'Close' }).last().click()
    await curtain(page).waitFor({ state: 'detached' })
    await page.getByText('gre-a-1 is disabled').first().waitFor()
  })

  it('has the name of the interface on one line, in the question and while waiting, however narrow the page is', async () => {
    const visited = await goTo(await signedIn(await visit(host, { viewport: PHONE })), host, 'tunnels/1', /gre-a-1/)
    const { page } = visited
    const held = await holdAccepted(page, (route) => route.continue())
    const assertUnbroken = async (): Promise<void> => {
      for (let width = 320; width <= 420; width += 5) {
        await page.setViewportSize({ width, height: 800 })
        assert.deepEqual(await brokenNames(page, 'gre-a-1'), [], `at ${width}`)
      }
    }
    visited.gates.expectAnswer(409, '/tunnels/1/down')
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Your browser is connected').waitFor()
    await assertUnbroken()
    await page.getByRole('button', { name: 'Apply anyway' }).click()
    await held.arrived
    await curtain(page).waitFor()
    await assertUnbroken()
    held.release()
    await curtain(page).getByText('Applied, and verified in the kernel.').waitFor()
  })

  it('comes back by itself where it is applied with a way back and nobody keeps it', async () => {
    const { page, gates } = await goTo(await signedIn(await visit(host)), host, 'tunnels/1', /gre-a-1/)
    gates.expectAnswer(409, '/tunnels/1/down')
    await page.getByRole('button', { name: 'Disable' }).click()
    const question = page.getByRole('dialog', { name: 'You may lose access to the panel' })
    await question.getByText(/unless you keep it within 60\ss/).waitFor()
    await question.getByRole('button', { name: 'Apply on trial for 60 s' }).click()
    await page
      .getByRole('region', { name: /^Trial/ })
      .getByRole('link', { name: 'Tunnel gre-a-1' })
      .waitFor()
    assert.equal(await isUp(), false)
    await host.windowClock.advance(60_000)
    const putBack = page.getByRole('region', { name: 'Changes were put back.' })
    await putBack.waitFor()
    assert.equal(await isUp(), true)
    await putBack.getByRole('button', { name: /^Do it again, with 2 min/ }).click()
    await page.getByRole('region', { name: /^Trial/ }).waitFor()
    const { window } = (await client.get<SafeApplyAnswer>('/safe-apply')).body
    assert.deepEqual([window?.seconds, await isUp()], [120, false])
  })

  it('that moves the panel leads to its new address while the old one does not answer', async () => {
    const { page, context, gates } = await goTo(await signedIn(await visit(host)), host, 'tunnels/1', /gre-a-1/)
    await page.route('**/tunnels/1/down', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as { error?: { details: object } }
      if (answer.status() === 409) Object.assign(body.error?.details ?? {}, { moves_to: '10.9.6.1' })
      await route.fulfill({ response: answer, json: body })
    })
    gates.expectAnswer(409, '/tunnels/1/down')
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Apply on trial for 60 s' }).click()
    const waits = page.getByRole('region', { name: /^Trial/ })
    await waits.getByRole('link', { name: 'Tunnel gre-a-1' }).waitFor()
    const link = waits.getByRole('link', { name: "Try the panel's new address: 10.9.6.1" })
    assert.equal(await link.count(), 0)
    gates.allowConsole(/ERR_CONNECTION_REFUSED/)
    await context.route('**/api/**', (route) => route.abort('connectionrefused'))
    assert.equal(await link.getAttribute('href'), page.url().replace('127.0.0.1', '10.9.6.1'))
  })

  it('that is over sooner is reported like any other', async () => {
    const visited = await visitTunnel()
    await visited.page.clock.pauseAt(Date.now() + 60_000)
    await takeDown(visited)
    await visited.page.getByText('gre-a-1 is disabled').first().waitFor()
    await visited.page.clock.runFor(1000)
    assert.equal(await curtain(visited.page).count(), 0)
    await visited.page.clock.resume()
  })

  it('that the server took back is shown as rolled back, with its reason', async () => {
    host.kernel.links.setUp = () => Promise.reject(new Error('it will not go down'))
    const visited = await visitTunnel()
    const { page, gates } = visited
    const held = await holdAccepted(page, (route) => route.continue())
    gates.expectAnswer(409, '/tunnels/1/down')
    await takeDown(visited)
    await curtain(page).waitFor()
    held.release()
    await curtain(page).getByText('Rolled back by the server.').waitFor()
    await curtain(page)
      .getByText(/it will not go down/)
      .waitFor()
    assert.equal(await isUp(), true)
  })

  for (const [what, reported, isRefused] of [
    ['applied', 'Applied, and verified in the kernel.', false],
    ['rolled back', 'Rolled back by the server.', true],
  ] as const) {
    it(`whose answer was lost with the connection is shown as ${what} once the panel can be reached again`, async () => {
      if (isRefused) host.kernel.links.setUp = () => Promise.reject(new Error('it will not go down'))
      const visited = await visitTunnel()
      const { page, gates } = visited
      const held = await holdAccepted(page, async (route) => {
        await route.fetch()
        await route.abort('connectionrefused')
      })
      gates.expectAnswer(0, '/tunnels/1/down')
      await takeDown(visited)
      await curtain(page).waitFor()
      held.release()
      await curtain(page).getByText(reported).waitFor()
      assert.equal(await isUp(), isRefused)
    })
  }

  it('without an answer for 90 s is shown as not answered, with what to do', async () => {
    const visited = await visitTunnel()
    const { page, context, gates } = visited
    const held = await holdAccepted(page, (route) => route.abort('connectionrefused'))
    await takeDown(visited)
    await curtain(page).waitFor()
    gates.allowConsole(/ERR_CONNECTION_REFUSED/)
    await context.route('**/api/**', (route) => route.abort('connectionrefused'))
    held.release()
    await page.clock.fastForward(45_000)
    await curtain(page)
      .getByText(/No answer for \d\d\ss; waiting for up to 90\ss/)
      .waitFor()
    await page.clock.fastForward(45_000)
    await curtain(page)
      .getByText(/No answer for 90\ss\. Reach the panel at another address/)
      .waitFor()
  })

  it('needs a confirmation if it leads the answers to the browser into the tunnel', async () => {
    const link = host.kernel.held.get('gre-a-1')
    assert.ok(link?.state)
    link.state = { ...link.state, config: { ...link.state.config, addresses: [] } }
    const { page, gates } = await visitTunnel()
    gates.expectAnswer(409, '/tunnels/1/reapply')
    await page.getByRole('button', { name: 'Reapply' }).first().click()
    const question = page.getByRole('dialog', { name: 'You may lose access to the panel' })
    await question.getByText('This change sends the replies to it into gre-a-1.').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.deepEqual(host.kernel.held.get('gre-a-1')?.state?.config.addresses, [])
  })

  it('needs a confirmation if a network behind tunnels takes the way to the browser, in the words of the server', async () => {
    const link = host.kernel.held.get('gre-a-1')
    assert.ok(link?.state)
    link.state = { ...link.state, config: { ...link.state.config, addresses: [] } }
    const destination = '127.0.0.0/24'
    host.kernel.hostLimits = { ...host.kernel.hostLimits, wide_networks: [destination] }
    const visited = await goTo(await signedIn(await visit(host)), host, 'networks/new', 'Create a network')
    const { page, gates } = visited
    gates.expectAnswer(409, '/networks')
    await page.getByLabel('Destination', { exact: true }).fill(destination)
    await page.getByLabel('Tunnel', { exact: true }).selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('button', { name: 'Create a network' }).click()
    const question = page.getByRole('dialog', { name: 'You may lose access to the panel' })
    await question
      .getByText(/would go by the route to 127\.0\.0\.0\/24/)
      .first()
      .waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.equal((await listNetworks(client)).body.total, 0)
    assert.equal(await page.getByRole('alert').count(), 0, 'who thinks better of it is told of no failure')
  })

  it('needs the same confirmation if it is made from the comparison', async () => {
    const visited = await goTo(await signedIn(await visit(host)), host, 'reconcile', 'Drift')
    const { page, gates } = visited
    gates.expectAnswer(409, '/tunnels/1')
    await page
      .getByRole('row', { name: /gre-a-1/ })
      .getByRole('button', { name: /Delete/ })
      .click()
    await page
      .getByRole('dialog', { name: /Delete .*gre-a-1/ })
      .getByRole('button', { name: 'Delete' })
      .click()
    const question = page.getByRole('dialog', { name: 'You may lose access to the panel' })
    await question.getByText(/connected from 127\.0\.0\.1/).waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.ok(host.kernel.held.has('gre-a-1'))
    assert.equal(await page.getByRole('alert').count(), 0, 'who thinks better of it is told of no failure')
  })
})

/**
 * Sets a tunnel that the operator comes through. The browser comes from loopback, and no tunnel may have such an
 * address: the store and the kernel get one behind the API's back.
 */
async function sitInside(host: Host): Promise<void> {
  const own = { address: '127.0.0.9', peer_address: '', prefix_length: 24 }
  await host.db.updateTable('tunnel_address').set(own).execute()
  const link = host.kernel.held.get('gre-a-1')
  assert.ok(link?.state)
  link.state = { ...link.state, config: { ...link.state.config, addresses: [own] } }
}

/** The request that accepts losing access waits until it is released, and then goes that way. */
async function holdAccepted(
  page: Page,
  way: (route: Route) => Promise<void>,
): Promise<{ arrived: Promise<void>; release: () => void }> {
  let [arrive, release] = [(): void => undefined, (): void => undefined]
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/tunnels/1/down', async (route) => {
    const { i_understand_i_may_lose_access: isAccepted } = (route.request().postDataJSON() ?? {}) as {
      i_understand_i_may_lose_access?: boolean
    }
    if (!isAccepted) return route.continue()
    arrive()
    await released
    await way(route)
  })
  return { arrived, release: () => release() }
}
