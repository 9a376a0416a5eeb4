// A host with relay rules, pools and strangers, for the tests of their pages.
import { fakeRoute } from '../../support/fake-routes.ts'
import type { Client } from '../../api/support/client.ts'
import { plantByHand } from '../../api/support/reconcile.ts'
import { madeRoute } from '../../api/support/routes.ts'
import { giveTunnels, type Host } from './host.ts'

/**
 * Tunnels, and rules: one in force over a tunnel, one over many ports that takes everything from the third, and one for
 * UDP that is disabled.
 */
export const relayHost = async (host: Host): Promise<Client> => {
  const client = await host.setUp()
  await giveTunnels(host, client)
  const bodies = [
    { route_rule_title: 'Web', bind_port: 443, tunnel_id: 1, tags: ['shop'] },
    {
      route_rule_title: 'All high ports',
      bind_address: '0.0.0.0',
      bind_port: 5000,
      bind_port_range_end: 5999,
      destination_port: 5000,
    },
    { route_rule_title: 'Never reached', bind_port: 5100, destination_address: '10.9.0.9', destination_port: 80 },
    {
      route_rule_title: 'Names',
      bind_port: 5353,
      route_protocol_id: 20,
      destination_address: '10.9.0.3',
      destination_port: 53,
      is_enabled: false,
    },
  ]
  for (const body of bodies) await madeRoute(client, body)
  host.kernel.rulesets.relay(1, { tx_bytes: 1_500_000, tx_packets: 1200, rx_bytes: 48_000_000, rx_packets: 36_000 })
  return client
}

/** The same, where packets to the destination of the first rule leave by its tunnel. */
export const ledRelayHost = async (host: Host): Promise<Client> => {
  const client = await relayHost(host)
  host.kernel.hostRoutes.push(fakeRoute('10.9.0.2/32', 'gre-a-1'))
  return client
}

export const giveStranger = (host: Host, name = 'gre-byhand'): void => plantByHand(host.kernel, name)
