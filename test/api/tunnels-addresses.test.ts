// The addresses of one tunnel, added and removed through the update pipeline (reference.md, /tunnels/{id}/addresses;
// decisions.md, R25).
import assert from 'node:assert/strict'
import type { AddressesAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { addAddress, codesOf, createTunnel, patchTunnel, removeAddress } from './support/tunnels.ts'

const SECOND = { address: '10.9.0.1', prefix_length: 30, peer_address: '10.9.0.2' }

describe('The addresses of a tunnel', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client)
    panel.kernel.changes.length = 0
  })
  afterEach(() => panel.close())

  const held = (): string[] =>
    (panel.kernel.held.get('gre-a-1')?.state?.config.addresses ?? []).map(({ address }) => address)
  const stored = async (): Promise<AddressesAnswer> => (await client.get<AddressesAnswer>('/tunnels/1/addresses')).body

  it('are listed as stored and as observed', async () => {
    const { status, body } = await client.get<AddressesAnswer>('/tunnels/1/addresses')
    assert.equal(status, 200)
    assert.deepEqual(
      body.addresses.map(({ address, peer_address, is_primary }) => [address, peer_address, is_primary]),
      [['172.17.1.1', '172.17.1.2', true]],
    )
    assert.deepEqual(body.observed, ['172.17.1.1/30'])
    panel.kernel.held.clear()
    assert.deepEqual([(await stored()).addresses.length, (await stored()).observed], [1, []])
  })

  it('get one more: validated, applied to the kernel in place, and verified', async () => {
    const index = panel.kernel.held.get('gre-a-1')?.index
    const [first] = (await stored()).addresses
    const { status, body, text } = await addAddress(client, 1, SECOND)
    assert.equal(status, 200, text)
    assert.deepEqual(
      [body.plan.steps.map(({ kind }) => kind), body.plan.requires_recreate, body.verification.ok],
      [['address_add', 'file_write'], false, true],
    )
    assert.deepEqual([held(), panel.kernel.held.get('gre-a-1')?.index], [['10.9.0.1', '172.17.1.1'], index])
    assert.deepEqual(body.addresses, (await stored()).addresses)
    assert.deepEqual(body.addresses[0], first, 'the first address keeps its id and its place')
    assert.deepEqual(
      [body.addresses[1]?.address, body.addresses[1]?.peer_address, body.addresses[1]?.is_primary],
      ['10.9.0.1', '10.9.0.2', false],
    )
    assert.match([...panel.kernel.files.values()][0] ?? '', /10\.9\.0\.1/)
  })

  it('can be given a new primary one', async () => {
    const { body } = await addAddress(client, 1, { ...SECOND, is_primary: true })
    assert.deepEqual(
      body.addresses.map(({ is_primary }) => is_primary),
      [false, true],
    )
    const { body: after } = await removeAddress(client, 1, SECOND)
    assert.deepEqual(
      after.addresses.map(({ is_primary }) => is_primary),
      [true],
    )
  })

  it('are never given twice: 422 ADDRESS_CONFLICT on address', async () => {
    for (const address of ['172.17.1.1', '192.0.2.1']) {
      const refused = await addAddress(client, 1, { address, prefix_length: 30 })
      assert.deepEqual(
        [refused.status, refused.error.field, codesOf(refused)],
        [422, 'address', { address: 'ADDRESS_CONFLICT' }],
      )
    }
    assert.deepEqual(panel.kernel.changes, [])
  })

  it('are refused by the fields of the request that says them', async () => {
    const cases: [object, Record<string, string>][] = [
      [{ address: 'x.y', prefix_length: 30 }, { address: 'INVALID_ADDRESS' }],
      [{ address: '10.9.0.1', prefix_length: 33 }, { prefix_length: 'INVALID_PREFIX_LENGTH' }],
      [{ address: '10.9.0.1', prefix_length: 30, peer_address: 'fd00::1' }, { peer_address: 'INVALID_ADDRESS' }],
      [
        { address: '127.0.0.1', prefix_length: 30, peer_address: 'x.y' },
        { address: 'INVALID_ADDRESS', peer_address: 'INVALID_ADDRESS' },
      ],
      [
        { prefix_length: 30, colour: 'red' },
        { address: 'INVALID_ADDRESS', colour: 'UNKNOWN_FIELD' },
      ],
    ]
    for (const [body, codes] of cases) {
      const refused = await addAddress(client, 1, body)
      assert.deepEqual([refused.status, codesOf(refused)], [422, codes], refused.text)
    }
    assert.deepEqual(panel.kernel.changes, [])
  })

  it('are at most 64', async () => {
    const addresses = Array.from({ length: 64 }, (_, n) => ({ address: `10.9.${n}.1`, prefix_length: 24 }))
    assert.equal((await patchTunnel(client, 1, { addresses })).status, 200)
    assert.deepEqual(codesOf(await addAddress(client, 1, { address: '10.8.0.1', prefix_length: 24 })), {
      address: 'INVALID_ADDRESS',
    })
  })

  it('lose one, from the kernel too', async () => {
    await addAddress(client, 1, SECOND)
    const { status, body } = await removeAddress(client, 1, { address: '172.17.1.1', prefix_length: 30 })
    assert.equal(status, 200)
    assert.deepEqual(
      [
        held(),
        body.verification.ok,
        body.addresses.map(({ address, is_primary, sort_order }) => [address, is_primary, sort_order]),
      ],
      [['10.9.0.1'], true, [['10.9.0.1', true, 0]]],
    )
  })

  it('of which one is missing cannot lose it: 404', async () => {
    for (const body of [
      SECOND,
      { address: '172.17.1.1', prefix_length: 24 },
      { address: '172.17.1.1', prefix_length: 30, peer_address: '' },
    ]) {
      const { status, error } = await removeAddress(client, 1, body)
      assert.deepEqual([status, error.code], [404, 'NOT_FOUND'])
    }
    assert.equal((await removeAddress(client, 1, { address: 'x.y', prefix_length: 30 })).status, 422)
  })

  it('do not lose the last one: 422 NO_ADDRESS, unless force is set', async () => {
    const last = { address: '172.17.1.1', prefix_length: 30 }
    const refused = await removeAddress(client, 1, last)
    assert.deepEqual([refused.status, codesOf(refused), held()], [422, { address: 'NO_ADDRESS' }, ['172.17.1.1']])
    const { status, body } = await removeAddress(client, 1, { ...last, force: true })
    assert.deepEqual([status, body.addresses, held()], [200, [], []])
  })

  it('of a tunnel that is not there are 404', async () => {
    assert.deepEqual(
      [
        (await client.get('/tunnels/9/addresses')).status,
        (await addAddress(client, 9, SECOND)).status,
        (await removeAddress(client, 9, SECOND)).status,
      ],
      [404, 404, 404],
    )
  })

  it('are changed under TunnelUpdate in the audit log', async () => {
    await addAddress(client, 1, SECOND)
    const entry = await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', '=', 50)
      .executeTakeFirstOrThrow()
    assert.deepEqual([entry.target_id, JSON.parse(entry.operations)], [1, ['address_add', 'file_write']])
  })
})
