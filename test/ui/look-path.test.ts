// How the picture of a path looks, with much in it.
import assert from 'node:assert/strict'
import type { Client } from '../api/support/client.ts'
import { createRoute } from '../api/support/routes.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { type Host, scrollToEnd } from './support/host.ts'
import { coveredLabels } from './support/path-labels.ts'
import { tunnelVisits } from './support/tunnel-visits.ts'

describe('The look of a path', function () {
  let host: Host
  let client: Client
  const { visitSignedIn } = tunnelVisits((made) => ({ host, client } = made))

  it('draws no line of a path through a figure that stands on one, however wide the picture is', async () => {
    for (let bind_port = 6000; bind_port < 6006; bind_port += 1)
      await createRoute(client, {
        route_rule_title: `Rule ${bind_port}`,
        bind_port,
        destination_address: '172.17.1.2',
        allowed_sources: bind_port === 6003 ? [{ cidr: '203.0.113.0/24' }] : [],
      })
    host.kernel.connections.open = Array.from({ length: 1234 }, (_, source_port) =>
      fakeConnection({ route_rule_id: 4, source_port }),
    )
    await host.traffic.count()
    await host.traffic.sample()
    host.kernel.rulesets.relay(1, { tx_bytes: 3_827_000, rx_bytes: 55_360_000, tx_packets: 42_000, rx_packets: 42_000 })
    await host.traffic.sample()
    await host.metrics.start()
    await host.monitor.start()
    const { page } = await visitSignedIn()
    for (const language of ['en', 'fa']) {
      await client.put('/settings', { 'display.language': language })
      for (const [path, labels] of [
        ['tunnels/1', 13],
        ['routes/1', 3],
      ] as const) {
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.goto(host.base + path)
        await page.locator('h1').waitFor()
        await scrollToEnd(page)
        await page
          .locator('.on-edge')
          .nth(labels - 1)
          .waitFor()
        for (const width of [1600, 1280, 1000, 800, 390]) {
          await page.setViewportSize({ width, height: 800 })
          assert.deepEqual(await coveredLabels(page), [], `${path} in ${language} at ${width}`)
        }
      }
    }
  })
})
