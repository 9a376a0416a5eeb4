// If-Match on PATCH: a change is made to the record that the client has seen, or not at all (decisions.md, W23).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { madeRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

describe('If-Match on PATCH', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client)
    await madeRoute(client)
    panel.clock.advance(1)
  })
  afterEach(() => panel.close())

  interface Versioned {
    readonly updated_date: string
    readonly [field: string]: unknown
  }
  for (const [noun, path, field, read] of [
    ['tunnel', '/tunnels/1', 'display_name', async () => (await client.get<Versioned>('/tunnels/1')).body],
    ['rule', '/routes/1', 'description', async () => (await client.get<{ route: Versioned }>('/routes/1')).body.route],
  ] as const) {
    const patch = (value: string, version: string) =>
      client.patch(path, { [field]: value }, { headers: { 'If-Match': version } })

    it(`changes a ${noun} whose version is the one that was seen, and only that one`, async () => {
      const { updated_date } = await read()
      assert.equal((await patch('mine', `"${updated_date}"`)).status, 200)
      panel.clock.advance(1)
      const { status, error } = await patch('late', `"${updated_date}"`)
      assert.deepEqual([status, error.code, (await read())[field]], [412, 'PRECONDITION_FAILED', 'mine'])
    })

    it(`answers 412 with the ${noun} as it is now, so that a client can compare field by field`, async () => {
      const { error } = await patch('late', '"2020-01-01T00:00:00.000Z"')
      const current = error.details['current'] as Versioned
      const now = await read()
      assert.deepEqual([current[field], current.updated_date], [now[field], now.updated_date])
    })

    it(`takes a ${noun} as it is without the header, with *, and with its version among others`, async () => {
      assert.equal((await client.patch(path, { [field]: 'a' })).status, 200)
      assert.equal((await patch('b', '*')).status, 200)
      const { updated_date } = await read()
      assert.equal((await patch('c', `"2020-01-01T00:00:00.000Z", "${updated_date}"`)).status, 200)
    })
  }

  it('is refused before anything is drafted or done on the host', async () => {
    panel.kernel.changes.length = 0
    const headers = { 'If-Match': '"2020-01-01T00:00:00.000Z"' }
    const { status } = await client.patch('/tunnels/1', { mtu: 1300, remote_endpoint: 'nonsense' }, { headers })
    assert.deepEqual([status, panel.kernel.changes], [412, []])
  })
})
