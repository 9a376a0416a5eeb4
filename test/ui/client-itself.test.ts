// A rule that leaves clients their own addresses, in its form: what to do at the far end of the tunnel, until replies
// prove that it is done.
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { madeRoute } from '../api/support/routes.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { browsing, type Visit } from './support/browser.ts'
import { field, goTo, signedIn, startHost, type Host } from './support/host.ts'
import { ledRelayHost } from './support/relays.ts'

describe('A rule that leaves clients their own addresses', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    host = await startHost()
    client = await ledRelayHost(host)
  })
  afterEach(() => host.close())

  const visitRule = async (path: string, heading: RegExp | string): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `routes/${path}`, heading)
  const source = 'Source that the destination sees'

  it('is one by a choice beside its tunnel, which says what the far end needs, with or without a panel there', async () => {
    const { page } = await visitRule('new', 'Create a rule')
    await field(page, 'Address').fill('10.9.0.2')
    await page.getByText(/^Chosen because the route to the destination goes through it/).waitFor()
    const needed = page.getByText(/turn on "Answer through this tunnel"/)
    assert.equal(await needed.count(), 0)
    await page.getByLabel(source).selectOption({ label: 'The client itself' })
    await page.getByText(/^At the far end of .*gre-a-1, turn on "Answer through this tunnel"/).waitFor()
    const lines = await page.locator('.far-end button .mono').allTextContents()
    assert.equal(lines.length, 3)
    assert.deepEqual(lines.slice(0, 2), [
      'ip route replace default via 172.17.1.1 table 1409286145',
      'ip rule add fwmark 0x54000001/0xff00ffff lookup 1409286145',
    ])
    assert.match(lines[2] ?? '', /^nft '.* ct original ip daddr \{ 10\.9\.0\.2 \} meta mark set 0x54000001;.*'$/)
    await page.getByLabel(source).selectOption({ label: 'This server (masquerade)' })
    await needed.waitFor({ state: 'detached' })
  })

  it('has a check mark in their place once replies to clients have come back', async () => {
    const { route_rule_id: id } = await madeRoute(client, {
      route_rule_title: 'Game',
      bind_port: 27015,
      nat_mode_id: 30,
      tunnel_id: 1,
    })
    const { page } = await visitRule(`${id}/edit`, /Game/)
    await page.getByText(/turn on "Answer through this tunnel"/).waitFor()
    host.kernel.connections.open = [fakeConnection({ route_rule_id: id })]
    await host.traffic.count()
    for (const packets of [0, 3]) {
      const counted = { tx_packets: packets, rx_packets: packets, tx_bytes: packets * 100, rx_bytes: packets * 100 }
      host.kernel.rulesets.relay(id, counted)
      await host.traffic.sample()
    }
    await page.reload()
    await page.getByText(/^Replies to clients themselves came back/).waitFor()
    assert.equal(await page.getByText(/turn on "Answer through this tunnel"/).count(), 0)
  })
})
