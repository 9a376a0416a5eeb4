// What an entry of the audit log says of a request that is too large for it, and of a name that was changed
// (decisions.md, U1, U4).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { AuditEntry, ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import { cutToFit } from '@panel/web-daemon/features/audit/cut.ts'
import { SMALLEST_RULE, tunnelRequest } from '../support/records.ts'
import type { Client } from './support/client.ts'
import { createNetwork } from './support/networks.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { probeEndpoints } from './support/probe-endpoints.ts'

const KEPT = 16 * 1024

describe('The content of an audit entry', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel({ extra_endpoints: probeEndpoints().endpoints })
    operator = await panel.setUp()
  })
  after(() => panel.close())

  const newest = async (): Promise<AuditEntry> =>
    (await operator.get<ListAuditAnswer>('/audit?limit=1')).body.entries[0]!

  it('has every field of a request that is too large, and of what is long its beginning and its length', async () => {
    const note = 'x'.repeat(100_000)
    const tags = Array.from({ length: 5000 }, (_, at) => `tag-${at}`)
    await operator.post('/tunnels', tunnelRequest({ note, tags, mtu: 1400 }))
    const { request } = await newest()
    assert.deepEqual(Object.keys(request).sort(), ['local_endpoint', 'mtu', 'note', 'remote_endpoint', 'tags'])
    assert.deepEqual([request['mtu'], request['local_endpoint']], [1400, '192.0.2.1'])
    assert.match(String(request['note']), /^x{100,}… \[cut: 100000 characters\]$/)
    const kept = request['tags'] as string[]
    assert.deepEqual([kept[0], kept[1], kept.at(-1)], ['tag-0', 'tag-1', '[cut: 5000 items]'])
    assert.ok(JSON.stringify(request).length <= KEPT)
  })

  it('has of thousands of fields that nobody knows the first hundred, and how many there are', async () => {
    await operator.post('/widgets', Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`odd_${at}`, at])))
    const { request } = await newest()
    assert.deepEqual([Object.keys(request).length, request['[cut]']], [101, '5000 fields'])
  })

  it('fits whatever it is', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })),
        fc.integer({ min: 0, max: 400 }),
        (one, times) => {
          const large = { ...one, all: Array.from({ length: times }, () => one), text: 'é'.repeat(times * 100) }
          const cut = cutToFit(large, KEPT)
          assert.ok(JSON.stringify(cut).length <= KEPT)
          if (JSON.stringify(large).length <= KEPT) assert.deepEqual(cut, large)
        },
      ),
      { numRuns: 200 },
    )
    const odd = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`${at}${'\u0001'.repeat(90)}`, 'x'.repeat(99)]),
    )
    assert.ok(JSON.stringify(cutToFit(odd, KEPT)).length <= KEPT)
  })
})

describe('The entry of a rename', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
    assert.equal((await operator.post('/tunnels', tunnelRequest({ display_name: 'first' }))).status, 201)
    assert.equal((await operator.post('/routes', { ...SMALLEST_RULE, route_rule_title: 'web' })).status, 201)
    assert.equal((await createNetwork(operator, { network_title: 'site' })).status, 201)
  })
  after(() => panel.close())

  const renamed = async (path: string, body: object, method = 'PATCH'): Promise<string[]> => {
    const { status, text } = await operator.api(method, path, body)
    assert.equal(status, 200, text)
    const [entry] = (await operator.get<ListAuditAnswer>('/audit?limit=1')).body.entries
    return (entry?.operations ?? []).filter((one) => one.startsWith('Renamed'))
  }

  it('shows both names, of a tunnel, of its interface, of a rule, of a pool and of a network', async () => {
    assert.deepEqual(await renamed('/tunnels/1', { display_name: 'second' }), ['Renamed from "first" to "second"'])
    assert.deepEqual(await renamed('/networks/1', { network_title: 'far site' }), ['Renamed from "site" to "far site"'])
    assert.equal((await operator.delete('/networks/1')).status, 200)
    assert.deepEqual(await renamed('/tunnels/1', { interface_name: 'other', confirm_recreate: true }), [
      'Renamed from "gre-a-1" to "other"',
    ])
    assert.deepEqual(await renamed('/routes/1', { route_rule_title: 'site' }), ['Renamed from "web" to "site"'])
    const pool = { address_pool_title: 'Mine', cidr: '10.10.0.0/16', prefix_length: 30 }
    assert.deepEqual(await renamed('/pools/20', pool, 'PUT'), ['Renamed from "Private 10.10" to "Mine"'])
  })

  it('has nothing of the kind where the name stays', async () => {
    assert.deepEqual(await renamed('/tunnels/1', { note: 'x', display_name: 'second' }), [])
    assert.deepEqual(await renamed('/routes/1', { description: 'x' }), [])
  })
})
