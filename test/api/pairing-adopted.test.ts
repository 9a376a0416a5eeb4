// The pairing code of a tunnel that was adopted, which may be what no request may ask for: a panel takes what a panel
// gives, or there is no code and a reason (reference.md, GET /tunnels/{id}/pairing-code; decisions.md, R26).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { FromPairingCodeAnswer, PairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import { DEFAULT_LIMITS } from '@panel/shared/limits/model.ts'
import type { LinkConfig } from '@panel/shared/tunnel/model.ts'
import { linkConfig } from '../support/random-states.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { adopt, plantByHand } from './support/reconcile.ts'

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ address: `10.20.${at}.1`, peer_address: '', prefix_length: 30 }))

describe('The pairing code of an adopted tunnel', () => {
  let panel: TestPanel
  let other: TestPanel
  let client: Client
  let there: Client
  beforeEach(async () => {
    ;[panel, other] = await Promise.all([startPanel(), startPanel()])
    ;[client, there] = await Promise.all([panel.setUp(), other.setUp()])
    Object.assign(other.kernel, { hostInterfaces: [], hostRoutes: [] })
  })
  afterEach(() => Promise.all([panel.close(), other.close()]))

  async function codeOf(fields: Partial<LinkConfig>): Promise<Reply<PairingCodeAnswer>> {
    plantByHand(panel.kernel, 'gre-x', fields)
    const { status, text, body } = await adopt(client, { interface_name: 'gre-x' })
    assert.equal(status, 201, text)
    const reply = await client.get<PairingCodeAnswer>(`/tunnels/${body.tunnel.tunnel_id}/pairing-code`)
    await client.post(`/reconcile/${body.tunnel.tunnel_id}/forget`)
    panel.kernel.held.delete('gre-x')
    return reply
  }

  const cases: [what: string, fields: Partial<LinkConfig>, field: string][] = [
    ['an MTU that no request may ask for', { mtu: 65_000 }, 'mtu'],
    ['more addresses than a request may have', { addresses: many(70) }, 'addresses'],
    ['a local endpoint of "any"', { local_endpoint: '0.0.0.0' }, 'local_endpoint'],
    [
      'an MTU below what IPv6 inside needs',
      { mtu: 1000, addresses: [{ address: 'fd00::1', peer_address: '', prefix_length: 64 }] },
      'mtu',
    ],
  ]
  for (const [what, fields, field] of cases) {
    it(`with ${what} is refused with the reason: 409 CONFLICT on ${field}`, async () => {
      const { status, error } = await codeOf(fields)
      assert.deepEqual([status, error.code, error.field], [409, 'CONFLICT', field])
      assert.match(error.message, /gre-x/)
    })
  }

  it('is one that another panel reads and makes a tunnel of, whatever the link is like, or there is none', async () => {
    const odd = fc.record({ mtu: fc.constantFrom(68, 1280, 1472, 9216, 9217, 65_000) }, { requiredKeys: [] })
    let given = 0
    // What comes by a tunnel there is no matter of the code.
    other.kernel.hostLimits = { ...DEFAULT_LIMITS, tunnel_networks: ['0.0.0.0/0', '::/0'] }
    await fc.assert(
      fc.asyncProperty(linkConfig, odd, async (config, more) => {
        const { status, body } = await codeOf({ ...config, bind_device: null, ...more })
        if (status !== 200) return assert.equal(status, 409)
        given += 1
        const { pairing_code } = body
        const read = await there.post<FromPairingCodeAnswer>('/tunnels/from-pairing-code', { pairing_code })
        assert.equal(read.status, 200, read.text)
        const { status: taken, text } = await there.post('/tunnels/preview', read.body.tunnel)
        assert.equal(taken, 200, text)
      }),
      { numRuns: 20 },
    )
    assert.ok(given > 3, `${given} codes`)
  })
})
