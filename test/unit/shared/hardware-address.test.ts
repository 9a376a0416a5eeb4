// The Ethernet address of a TAP tunnel: always the same for one link, and another one for any other.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { hardwareAddress } from '@panel/shared/tunnel/hardware-address.ts'
import { exampleConfig } from '../../support/example.ts'

const of = (name: string, fields: object = {}): string | null =>
  hardwareAddress(name, { ...exampleConfig, kind: 'gretap', ...fields })

describe('The hardware address of a tunnel', () => {
  it('is unicast and locally administered, and there is none of a kind without Ethernet', () => {
    assert.match(of('tap-1') ?? '', /^02(:[0-9a-f]{2}){5}$/)
    assert.deepEqual([of('gre-1', { kind: 'gre' }), of('gre-1', { kind: 'ip6gre' })], [null, null])
    assert.ok(of('tap-1', { kind: 'ip6gretap', local_endpoint: '2001:db8::1', remote_endpoint: '2001:db8::2' }))
  })

  it('is the same for the same link, whatever else of it changes', () => {
    assert.equal(of('tap-1', { mtu: 1300, ttl: 9 }), of('tap-1'))
  })

  it('is another one for each name, key and end, and at the far end', () => {
    const far = { local_endpoint: exampleConfig.remote_endpoint, remote_endpoint: exampleConfig.local_endpoint }
    const all = [of('tap-1'), of('tap-2'), of('tap-1', { ikey: 1 }), of('tap-1', { okey: null }), of('tap-1', far)]
    assert.equal(new Set(all).size, all.length)
  })

  it('differs between any two of ten thousand names', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (from) => {
        const all = Array.from({ length: 10_000 }, (_, at) => of(`t${from + at}`.slice(0, 15)))
        assert.equal(new Set(all).size, all.length)
      }),
      { numRuns: 2 },
    )
  })
})
