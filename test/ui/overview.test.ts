// The overview: what needs the operator comes first, with what it takes down and the button that mends it.
import assert from 'node:assert/strict'
import { browsing, PHONE, type Visit } from './support/browser.ts'
import { signedIn, startHost, type Host } from './support/host.ts'
import { relayHost } from './support/relays.ts'

describe('The overview', () => {
  const { visit } = browsing()
  let host: Host
  beforeEach(async () => {
    host = await startHost()
    await relayHost(host)
    await look()
  })
  afterEach(() => host.close())

  const look = async (): Promise<void> => {
    await host.watch.pass('event')
    await host.routeWatch.pass('event')
  }
  const attention = (page: Visit['page']) => page.getByRole('region', { name: 'Needs attention' })

  it('names a tunnel that is missing, since when, the rules that it takes down, and mends it', async () => {
    host.kernel.held.delete('gre-a-1')
    await look()
    const { page } = await signedIn(await visit(host))
    const incident = attention(page).getByRole('listitem').filter({ hasText: 'Hamburg relay' })
    await incident.getByText('The interface gre-a-1 is missing on this host').waitFor()
    await incident.getByRole('link', { name: 'Web' }).waitFor()
    await incident.locator('time').waitFor()
    await incident.getByRole('button', { name: 'Reapply' }).click()
    await page.getByText('Hamburg relay is on the host as it is stored').first().waitFor()
    await look()
    await incident.waitFor({ state: 'detached' })
    assert.ok(host.kernel.held.has('gre-a-1'))
  })

  it('names a rule that the kernel does not hold, and mends it', async () => {
    host.kernel.rulesets.flush()
    await look()
    const { page } = await signedIn(await visit(host))
    const incident = attention(page).getByRole('listitem').filter({ hasText: 'Never reached' })
    await incident.getByText(/The kernel does not hold the rule/).waitFor()
    await incident.getByRole('button', { name: 'Reapply' }).click()
    await look()
    await incident.waitFor({ state: 'detached' })
  })

  it('has the list first on a phone', async () => {
    const { page } = await signedIn(await visit(host, { viewport: PHONE }))
    const [list, tile] = await Promise.all([
      attention(page).boundingBox(),
      page.getByRole('heading', { name: 'Recent changes' }).boundingBox(),
    ])
    assert.ok(list && tile && list.y < tile.y)
  })
})
