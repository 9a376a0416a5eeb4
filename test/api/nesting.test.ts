// JSON that is nested so deep that a recursive walk of it would end the stack is refused before anything walks it
// (decisions.md, W4).
import assert from 'node:assert/strict'
import { crc32, gzipSync } from 'node:zlib'
import { MAX_NESTING } from '@panel/shared/json.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { probeEndpoints } from './support/probe-endpoints.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const DEEP = nested(30_000)

describe('JSON that is nested too deep', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel({ extra_endpoints: probeEndpoints().endpoints })
    operator = await panel.setUp()
  })
  after(() => panel.close())
  afterEach(() =>
    assert.deepEqual(
      panel.log.filter((line) => line.includes('"err"')),
      [],
    ),
  )

  const refused = async (client: Client, path: string, raw: string): Promise<void> => {
    const { status, error } = await client.post(path, undefined, { raw })
    assert.deepEqual(
      [status, error.code, error.message],
      [400, 'INVALID_REQUEST', `The request body is nested more than ${MAX_NESTING} levels deep`],
    )
  }

  it('is a 400 of a stranger, in a field that is known and one that is not, in lists and in objects', async () => {
    await refused(panel.visitor(), '/auth/login', `{"username":${DEEP},"password":"a"}`)
    await refused(panel.visitor(), '/auth/login', `{"other":${DEEP}}`)
    await refused(panel.visitor(), '/auth/login', `{"username":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`)
  })

  it('is a 400 of the operator, in a backup too', async () => {
    await refused(operator, '/widgets', `{"parts":${DEEP}}`)
    await refused(operator, '/backup/import', `{"backup":{"version":1,"tunnels":${DEEP}}}`)
  })

  it('is refused at one level more than is allowed, and brackets in a text are none', async () => {
    await refused(operator, '/widgets', `{"parts":${nested(MAX_NESTING)}}`)
    for (const raw of [
      `{"parts":${nested(MAX_NESTING - 1)}}`,
      JSON.stringify({ colour: `"\\"${nested(MAX_NESTING)}` }),
    ])
      assert.equal((await operator.post('/widgets', undefined, { raw })).status, 422)
  })

  it('in a pairing code is a 422 on it', async () => {
    const json = `{"v":1,"addr":${DEEP}}`
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32BE(crc32(json))
    const pairing_code = `v1.${Buffer.concat([checksum, gzipSync(json)]).toString('base64url')}`
    const { status, error } = await operator.post('/tunnels/from-pairing-code', { pairing_code })
    assert.deepEqual([status, error.field], [422, 'pairing_code'])
  })
})
