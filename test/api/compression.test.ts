// Answers of the API over the wire: large ones compressed for clients that take that, and everything else unchanged.
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

const LARGE = '/settings/schema'
const SMALL = '/auth/me'

describe('answers over the wire', () => {
  let panel: TestPanel
  let client: Client
  before(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  after(() => panel.close())

  const cookies = (): string => [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  /** Requests like a browser: what is compressed is unpacked, and the headers still state the compression. */
  const request = async (
    path: string,
    accepts: string,
  ): Promise<{ encoding: string | null; vary: string; length: number; body: unknown }> => {
    const { headers, ...answer } = await fetch(`${client.base}api/v1${path}`, {
      headers: { cookie: cookies(), 'Accept-Encoding': accepts },
    }).then(async (response) => ({ headers: response.headers, body: await response.json() }))
    return {
      encoding: headers.get('content-encoding'),
      vary: headers.get('vary') ?? '',
      length: Number(headers.get('content-length')),
      ...answer,
    }
  }

  for (const [accepts, encoding] of [
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
  ] as const)
    it(`are compressed by ${encoding} where they are large, and say the same`, async () => {
      const [packed, plain] = [await request(LARGE, accepts), await request(LARGE, 'identity')]
      assert.deepEqual([packed.encoding, plain.encoding], [encoding, null])
      assert.deepEqual(packed.body, plain.body)
      assert.ok(packed.length * 3 < plain.length, `${packed.length} of ${plain.length} bytes`)
      for (const { vary } of [packed, plain]) assert.match(vary, /Accept-Encoding/)
    })

  for (const [accepts, why] of [
    ['', 'that says nothing of it'],
    ['deflate', 'that takes another way alone'],
    ['gzip;q=0', 'that refuses it'],
    ['gzip;q=0.1, identity', 'that likes it less'],
  ]) {
    it(`are as they are for a client ${why}`, async () => {
      const { text, headers } = await client.get(LARGE, {
        headers: accepts === '' ? {} : { 'Accept-Encoding': accepts ?? '' },
      })
      assert.equal(headers['content-encoding'], undefined)
      assert.ok('settings' in (JSON.parse(text) as object))
    })
  }

  it('are as they are where they are small, refusals among them', async () => {
    for (const path of [SMALL, '/tunnels/999']) {
      const { encoding, body } = await request(path, 'gzip')
      assert.equal(encoding, null)
      assert.ok(body)
    }
  })

  it('are never compressed where they are streams, of which each event goes out at once', async () => {
    const leaving = new AbortController()
    const { headers, status } = await fetch(`${client.base}api/v1/monitor/stream`, {
      headers: { cookie: cookies(), 'Accept-Encoding': 'gzip' },
      signal: leaving.signal,
    })
    assert.deepEqual(
      [status, headers.get('content-type'), headers.get('content-encoding')],
      [200, 'text/event-stream', null],
    )
    leaving.abort()
  })
})
