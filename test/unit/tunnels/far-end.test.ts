// Which address the far end has, as far as the addresses of this one tell it.
import assert from 'node:assert/strict'
import { farEnds } from '@panel/shared/tunnel/far-end.ts'

const REPORTED: [address: string, peer_address: string, prefix_length: number, far: string[]][] = [
  ['172.17.1.1', '172.17.1.2', 30, ['172.17.1.2']],
  ['172.17.1.1', '10.9.0.7', 32, ['10.9.0.7']],
  ['172.17.1.1', '', 30, ['172.17.1.2']],
  ['172.17.1.2', '', 30, ['172.17.1.1']],
  ['172.17.1.0', '', 31, ['172.17.1.1']],
  ['172.17.1.3', '', 31, ['172.17.1.2']],
  ['2001:db8::1', '', 127, ['2001:db8::']],
  ['2001:db8::2', '', 126, ['2001:db8::1']],
  ['172.17.1.3', '', 30, []],
  ['172.17.1.1', '', 24, []],
  ['172.17.1.1', '', 32, []],
  ['2001:db8::1', '', 64, []],
]

describe('The far end of a tunnel', () => {
  for (const [address, peer_address, prefix_length, far] of REPORTED) {
    it(`is ${far.join() || 'unknown'} beside ${address}/${prefix_length}${peer_address && ` with the peer ${peer_address}`}`, () => {
      assert.deepEqual(farEnds([{ address, peer_address, prefix_length }]), far)
    })
  }
})
