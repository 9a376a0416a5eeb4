// All faults of a request come at once, also those of a list of which the schema refuses an item.
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { SMALLEST_RULE } from './support/routes.ts'
import { SMALLEST } from './support/tunnels.ts'

describe('All faults of a request come at once', () => {
  let panel: TestPanel
  let client: Client
  before(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  after(() => panel.close())

  const { destination_address: _address, destination_port: _port, ...rule } = SMALLEST_RULE
  const cases: readonly (readonly [string, string, object, readonly string[]])[] = [
    [
      'the destinations of a rule',
      '/routes/preview',
      {
        ...rule,
        load_balance_mode_id: 20,
        destinations: [
          { address: '10.9.0.2', port: 0 },
          { address: 'example', port: 1 },
          { address: '', port: 1 },
          { hostname: 'nowhere.test', port: 1 },
          { address: '0.0.0.0', port: 1 },
        ],
      },
      [
        'destinations.0.port',
        'destinations.1.address',
        'destinations.2.address',
        'destinations.3.hostname',
        'destinations.4.address',
      ],
    ],
    [
      'the allowed sources of a rule',
      '/routes/preview',
      { ...SMALLEST_RULE, allowed_sources: [{ cidr: 'x' }, { cidr: 5 }, { cidr: '10.0.0.0/33' }] },
      ['allowed_sources.0.cidr', 'allowed_sources.1.cidr', 'allowed_sources.2.cidr'],
    ],
    [
      'the addresses of a tunnel',
      '/tunnels/preview',
      {
        ...SMALLEST,
        remote_endpoint: 'x',
        addresses: [
          { address: 5, prefix_length: 30 },
          { address: '10.0.0.1', prefix_length: 30 },
          { address: 'x', prefix_length: 30 },
          { address: '10.0.0.1', prefix_length: 30 },
        ],
      },
      ['remote_endpoint', 'addresses.0.address', 'addresses.2.address', 'addresses.3.address'],
    ],
    [
      'the paths and own addresses of a network, beside its destination',
      '/networks/preview',
      {
        destination: '',
        paths: [{ tunnel_id: 0 }, { tunnel_id: 1, weight: 999 }],
        own_addresses: ['x', '10.66.0.1', ''],
        source_address: 'x',
      },
      [
        ...['destination', 'paths.0.tunnel_id', 'paths.1.weight', 'own_addresses.0', 'own_addresses.2'],
        'source_address',
      ],
    ],
    [
      'the networks of a token, beside its expiry',
      '/auth/tokens',
      { title: 'x', scopes: ['read'], allowed_networks: [5, '10.0.0.0/33'], expires_date: '2000-01-01' },
      ['allowed_networks.0', 'allowed_networks', 'expires_date'],
    ],
    [
      'the events of a target, beside its address',
      '/webhooks',
      { title: 'x', kind: 'json', url: 'ftp://x', events: ['nothing', 'tunnel_state'] },
      ['url', 'events.0'],
    ],
  ]
  for (const [what, path, body, fields] of cases)
    it(`in ${what}`, async () => {
      const reply = await client.post<{ error: { details: { fields: { field: string }[] } } }>(path, body)
      assert.equal(reply.status, 422, reply.text)
      const found = reply.body.error.details.fields.map(({ field }) => field)
      assert.deepEqual([...found].sort(), [...fields].sort())
    })
})
