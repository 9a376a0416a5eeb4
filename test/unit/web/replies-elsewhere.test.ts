// Replies that leave by another interface than their packets came in by, and those that root leads back.
import assert from 'node:assert/strict'
import type { Uplink } from '@panel/shared/ruleset/found.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import type { RouteRecord } from '@panel/web-daemon/features/routes/record.ts'
import { ADDRESS_FAMILIES } from '@panel/shared/api/base/lookups.ts'
import { ofReplies } from '@panel/web-daemon/features/rule-health/causes-traffic.ts'

const FOUND = { backend: 'nftables', is_readable: true, is_present: true, detail: '' } as const
const [ETH1, GATEWAY] = ['eth1', '198.51.100.1']
const stuck = [{ address: '203.0.113.5', device: 'eth0' }]

const remediesOf = (
  bind_interface: string | null,
  uplinks: readonly Uplink[],
  address_family_id: RouteRecord['address_family_id'] = ADDRESS_FAMILIES.IPv4,
): string[] => {
  const held = { ...FOUND, rules: new Map(), damaged: [], unmanaged: [], uplinks: [...uplinks] }
  const owner = { name: ETH1 } as HostInterface
  return ofReplies({ bind_interface, address_family_id }, { stuck, owner, held }).flatMap(({ remedies }) =>
    remedies.map(({ message_id }) => message_id),
  )
}

describe('Replies of a rule that leave by another interface', () => {
  it('are a cause of a rule that names none, whatever root answers by for others: it is to name the interface', () => {
    for (const uplinks of [[], [{ interface_name: ETH1, family: 4, gateway: GATEWAY }]] as const)
      assert.deepEqual(remediesOf(null, uplinks), ['health.fix_reply_interface'])
  })

  it('are a cause of a rule whose interface root does not answer by: that is to get a default route', () => {
    assert.deepEqual(remediesOf(ETH1, []), ['health.fix_reply_route'])
    assert.deepEqual(remediesOf(ETH1, [{ interface_name: 'eth2', family: 4, gateway: GATEWAY }]), [
      'health.fix_reply_route',
    ])
  })

  it('are none where root answers by the interface, in the family of the rule', () => {
    const uplinks: readonly Uplink[] = [{ interface_name: ETH1, family: 4, gateway: GATEWAY }]
    assert.deepEqual(remediesOf(ETH1, uplinks), [])
    assert.deepEqual(remediesOf(ETH1, uplinks, ADDRESS_FAMILIES.IPv6), ['health.fix_reply_route'])
  })
})
