// The uptime in the rows of a list: one request for all, drawn as ticks, and the same as a figure.
import assert from 'node:assert/strict'
import { emptyBucket, stateSeverity } from '@panel/web-daemon/features/monitor/bucket.ts'
import { addBuckets } from '@panel/web-daemon/features/monitor/store.ts'
import { createRoute } from '../api/support/routes.ts'
import { createTunnel } from '../api/support/tunnels.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { goTo, signedIn, startHost, type Host } from './support/host.ts'
import { chooseColumns } from './support/lists.ts'
import { giveHistory } from './support/past.ts'

describe('The uptime in lists', () => {
  const { visit } = browsing()
  let host: Host
  before(async () => {
    host = await startHost()
    const client = await host.setUp()
    for (let n = 1; n <= 120; n++) await createTunnel(client, { remote_endpoint: `198.18.0.${n}`, address_pool_id: 20 })
    await createRoute(client, { route_rule_title: 'over the first', tunnel_id: 1 })
    await createRoute(client, { route_rule_title: 'over none', bind_port: 4444, destination_address: '203.0.113.9' })
    await giveHistory(host, 1)
    const daysAgo = (days: number): number => Math.floor(Date.now() / 60_000) * 60 - days * 86_400
    await addBuckets(host.db, [
      { ...emptyBucket(2, daysAgo(0) - 7200), up_ms: 60_000, worst_severity: stateSeverity('Up') },
      { ...emptyBucket(2, daysAgo(40)), down_ms: 60_000, worst_severity: stateSeverity('Down') },
    ])
  })
  after(() => host.close())

  const list = async (address: string, look?: Look): Promise<Visit & { requests: string[] }> => {
    const visited = await signedIn(await visit(host, look))
    const requests: string[] = []
    visited.page.on('request', (request) => {
      if (request.url().includes('/monitor/uptime')) requests.push(request.url())
    })
    return { ...(await goTo(visited, host, address, /^(Tunnels|Relay rules)/)), requests }
  }
  const rowOf = ({ page }: Visit, name: string) => page.getByRole('row').filter({ hasText: name }).first()

  it('is one request for the whole list, shown as a share and drawn as ticks, each state in its place and height', async () => {
    const visited = await list('tunnels?sort=name')
    const row = rowOf(visited, 'gre-a-1')
    await row.getByText(/97\.[89]\d?\s%/).waitFor()
    await row.getByText('Down for 30 min').waitFor({ state: 'attached' })
    assert.equal(visited.requests.length, 1)
    const beat = row.locator('.beat svg')
    const box = (await beat.boundingBox()) ?? assert.fail()
    const down = (await beat.locator('path.down').boundingBox()) ?? assert.fail()
    // Half an hour is two or three ticks of sixteen minutes, about seven hours before the end of the day.
    assert.ok(down.width / box.width >= 2 / 90 - 0.01 && down.width / box.width <= 3 / 90 + 0.01, `${down.width}`)
    const middle = (down.x + down.width / 2 - box.x) / box.width
    assert.ok(Math.abs(middle - 1015 / 1440) < 0.025, `at ${middle}`)
    const up = (await beat.locator('path.up').boundingBox()) ?? assert.fail()
    assert.ok(up.height < down.height / 2, 'what is down is taller')
    // Forty rows or so are drawn of 120, each with five nodes at the most.
    assert.ok((await visited.page.locator('.beat svg path').count()) < 200)
  })

  it('is of the time chosen, which is in the address, and sorts the list', async () => {
    const visited = await list('tunnels?q=gre-a-2')
    await rowOf(visited, 'gre-a-2').getByText('100 %').waitFor()
    await visited.page.getByLabel('Uptime over').selectOption('90 days')
    await visited.page.waitForURL(/uptime=2160/)
    await rowOf(visited, 'gre-a-2')
      .getByText(/^50\s%/)
      .waitFor()
    await visited.page.getByRole('searchbox').fill('')
    await visited.page.getByRole('button', { name: 'Uptime', exact: true }).click()
    await visited.page.waitForFunction(() => document.querySelector('tbody tr.line')?.textContent.includes('gre-a-2'))
  })

  it('of a relay rule is that of the tunnel that leads to its destination, and of none none', async () => {
    const visited = await list('routes')
    await rowOf(visited, 'over the first')
      .getByText(/97\.[89]\d?\s%/)
      .waitFor()
    assert.equal(await rowOf(visited, 'over none').locator('.beat').count(), 0)
    assert.equal(await visited.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    assert.equal(visited.requests.length, 1)
  })

  it('fits on a phone, where the operator chooses it', async () => {
    const visited = await list('tunnels?q=gre-a-1&sort=name', { viewport: PHONE })
    await chooseColumns(visited.page, ['Uptime'])
    await rowOf(visited, 'gre-a-1')
      .getByText(/97\.[89]\d?\s%/)
      .waitFor()
    assert.equal(await visited.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  })
})
