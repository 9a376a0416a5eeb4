// Bodies against their schemas, as far as a request over HTTP cannot show it.
import assert from 'node:assert/strict'
import { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { Problems } from '@panel/web-daemon/platform/http/problems.ts'
import { validate } from '@panel/web-daemon/platform/http/validate.ts'

describe('A body held against its schema', () => {
  it('is refused for a list that is too long without a look at what it may not have', () => {
    const addresses: unknown[] = Array.from({ length: 100_000 }, () => ({}))
    Object.defineProperty(addresses, 50_000, { get: () => assert.fail('it was looked at') })
    const problems = new Problems()
    const body = validate(
      CreateTunnelBody,
      { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2', addresses },
      problems,
    )
    assert.ok(problems.has('addresses'))
    assert.deepEqual(body, { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' })
  })

  it('keeps a list that is as long as it may be', () => {
    const problems = new Problems()
    const given = {
      tags: Array.from({ length: 32 }, (_, n) => `tag${n}`),
      local_endpoint: '192.0.2.1',
      remote_endpoint: '192.0.2.2',
    }
    assert.equal(validate(CreateTunnelBody, given, problems), given)
    assert.ok(!problems.has('tags'))
  })
})
