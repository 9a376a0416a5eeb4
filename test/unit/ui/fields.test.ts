// The page has a place for every field of a tunnel, so that an operator never needs another client.
import assert from 'node:assert/strict'
import { CreateTunnelBody, UpdateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { pickOptions, NO_OPTIONS } from '../../../ui/src/features/tunnels/options.ts'
import { requestBody, EMPTY } from '../../../ui/src/features/tunnels/request.ts'

/** The fields that the operator enters elsewhere. */
const OTHERWISE: Readonly<Record<string, string>> = {
  tunnel_side_id: 'the first step of the wizard says which side this is',
  ikey: 'one key for both directions, which the form of a stored tunnel has apart',
  okey: 'as ikey',
  addresses: "the pool gives them, and the tunnel's own page changes them",
  is_enabled: "a button of the tunnel's own page",
  note: 'in the form of a stored tunnel',
  tags: 'in the form of a stored tunnel',
  idempotency_key: "the page's own",
  i_understand_i_may_lose_access: 'asked for where it is needed',
}

describe('The wizard of a tunnel', () => {
  it("has a field for everything that a tunnel's request can hold, but for what is entered elsewhere", () => {
    const fields = Object.keys(CreateTunnelBody.properties)
    assert.deepEqual(fields.filter((name) => !(name in EMPTY)).sort(), Object.keys(OTHERWISE).sort())
    assert.deepEqual(
      Object.keys(NO_OPTIONS).filter((name) => !(name in UpdateTunnelBody.properties)),
      [],
    )
  })

  it('sends what was entered, "no" too, and leaves the rest to the panel', () => {
    const ends = { local_endpoint: '192.0.2.1', remote_endpoint: ' 192.0.2.2 ' }
    assert.deepEqual(requestBody({ ...EMPTY, ...ends }, null), {
      local_endpoint: '192.0.2.1',
      remote_endpoint: '192.0.2.2',
    })
    const body = requestBody(
      { ...EMPTY, ...ends, has_input_checksum: false, monitor_target: ' 192.0.2.9 ', flow_label: 0, tunnel_number: 0 },
      null,
    )
    assert.deepEqual(
      [body.has_input_checksum, body.monitor_target, body.flow_label, body.tunnel_number, 'force' in body],
      [false, '192.0.2.9', 0, 0, false],
    )
    assert.deepEqual(pickOptions(NO_OPTIONS), NO_OPTIONS)
  })
})
