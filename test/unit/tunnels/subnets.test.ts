import assert from 'node:assert/strict'
import { tunnelBySubnet } from '@panel/web-daemon/features/tunnels/subnets.ts'

const address = (own: string, prefix_length: number, peer_address = '') => ({
  address: own,
  peer_address,
  prefix_length,
})

describe('The tunnel that leads to an address', () => {
  const leadsTo = tunnelBySubnet([
    { tunnel_id: 1, addresses: [address('10.0.0.1', 16)] },
    { tunnel_id: 2, addresses: [address('10.0.5.1', 30), address('fd00::1', 64)] },
    { tunnel_id: 3, addresses: [address('192.0.2.9', 32, '198.51.100.9')] },
  ])

  it('has it in its subnet, the longest of those that do', () => {
    assert.deepEqual(['10.0.9.9', '10.0.5.2', 'fd00::2'].map(leadsTo), [1, 2, 2])
  })

  it('has it as the peer of an address, and its own address too', () => {
    assert.deepEqual(['198.51.100.9', '192.0.2.9'].map(leadsTo), [3, 3])
  })

  it('is none for an address outside, of another family, or that is none', () => {
    assert.deepEqual(['10.1.0.1', 'fd01::1', 'example'].map(leadsTo), [null, null, null])
  })
})
