// The outcome of an action is shown, and does not vanish if it failed.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browsing, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, signedIn } from './support/host.ts'
import { relayHost } from './support/relays.ts'

describe('What became of an action', () => {
  const { visit } = browsing()
  let host: Host
  eachHost(relayHost, (made) => ({ host } = made))

  /** On the page of a tunnel, with a clock that the test moves. */
  const visitTunnel = async (): Promise<Visit> => {
    const visited = await signedIn(await visit(host, { allowConsole: /503/ }))
    await visited.page.clock.install()
    return goTo(visited, host, 'tunnels/1', /gre-a-1/)
  }
  const reapply = async (page: Page): Promise<void> => {
    for (const name of ['More actions', 'Reapply']) await page.getByRole('button', { name, exact: true }).last().click()
  }

  it('is shown for six seconds after a success, and stays among the messages of the bell', async () => {
    const { page } = await visitTunnel()
    await reapply(page)
    const toast = page.locator('.toast').filter({ hasText: 'gre-a-1 is in sync again' })
    await toast.waitFor()
    await page.clock.fastForward(5000)
    assert.equal(await toast.count(), 1)
    await page.clock.fastForward(2000)
    await toast.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Messages/ }).click()
    await page.getByRole('group', { name: 'Messages' }).getByText('gre-a-1 is in sync again').waitFor()
  })

  it('leads to what it was done to, from the toast and from the bell', async () => {
    const { page } = await visitTunnel()
    await page.getByRole('link', { name: 'Tunnels', exact: true }).first().click()
    await page.getByRole('button', { name: /^Actions for .*gre-a-1$/ }).click()
    await page.getByRole('button', { name: 'Reapply', exact: true }).last().click()
    await page.locator('.toast').getByRole('link', { name: 'gre-a-1 is in sync again' }).click()
    await page.waitForURL(/tunnels\/1$/)
    await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
    await page.getByRole('button', { name: /^Messages/ }).click()
    await page.getByRole('group', { name: 'Messages' }).getByRole('link', { name: 'gre-a-1 is in sync again' }).click()
    await page.waitForURL(/tunnels\/1$/)
  })

  it('is shown until it is closed after a failure, with the code, and stays in the bell', async () => {
    const { page } = await visitTunnel()
    host.sendHelperAway()
    await reapply(page)
    const toast = page.getByRole('alert').filter({ hasText: 'gre-a-1 could not be reapplied' })
    await toast.getByText('HELPER_UNAVAILABLE').waitFor()
    await page.clock.fastForward(120_000)
    assert.equal(await toast.count(), 1)
    await toast.getByRole('button', { name: 'Close' }).click()
    await toast.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Messages/ }).click()
    await page.getByRole('group', { name: 'Messages' }).getByText('gre-a-1 could not be reapplied').waitFor()
  })
})
