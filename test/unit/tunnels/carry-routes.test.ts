// Which foreign routes a change takes along to a link that it makes again.
import assert from 'node:assert/strict'
import { carryRoutes, dropsRoutes } from '@panel/shared/tunnel/carry-routes.ts'
import type { LinkConfig, TunnelState } from '@panel/shared/tunnel/model.ts'
import type { RouteThrough } from '@panel/shared/tunnel/model.ts'
import { exampleTunnel } from '../../support/example.ts'
import { routeThrough } from '../../support/fake-routes.ts'

const NAME = 'gre-a-1'

describe('A change that makes a link again', () => {
  const before = [exampleTunnel({ kind: 'gretap' })]
  const carried = (route: RouteThrough, after: TunnelState): boolean => {
    const change = carryRoutes({ before, after: [after] }, new Map([[NAME, [route]]]))
    return change.after?.[0]?.link?.routes?.length === 1
  }
  const again = (fields: Partial<LinkConfig> = {}): TunnelState => exampleTunnel(fields)
  const elsewhere = again({ addresses: [{ address: '10.9.0.1', peer_address: '', prefix_length: 30 }] })
  const down = again()
  const isDown: TunnelState = { ...down, link: down.link && { ...down.link, is_up: false } }

  it('takes along static and boot routes, and leaves those of routing daemons to them', () => {
    for (const protocol of ['static', 'boot']) assert.ok(carried(routeThrough('10.50.0.0/16', { protocol }), again()))
    for (const protocol of ['bird', 'bgp', 'dhcp', 'ra', '77'])
      assert.ok(!carried(routeThrough('10.50.0.0/16', { protocol }), again()))
  })

  it('takes along none of which it would lose a part', () => {
    assert.ok(!carried(routeThrough('10.50.0.0/16', { unmodelled: ['metrics'] }), again()))
  })

  it('takes along none to a link that is down, and none of IPv6 where the MTU is too small for it', () => {
    assert.ok(!carried(routeThrough('10.50.0.0/16'), isDown))
    assert.ok(!carried(routeThrough('fd00::/48'), again({ mtu: 1200 })))
    assert.ok(carried(routeThrough('fd00::/48'), again()))
  })

  it('takes along one whose source or gateway is of the tunnel only where the new link has that address', () => {
    const bySource = routeThrough('10.50.0.0/16', { source: '172.17.1.1' })
    const byGateway = routeThrough('10.50.0.0/16', { gateway: '172.17.1.2' })
    for (const route of [bySource, byGateway])
      assert.deepEqual([carried(route, again()), carried(route, elsewhere)], [true, false])
  })

  it('takes along one whose source is another address of this host, and one that is onlink', () => {
    assert.ok(carried(routeThrough('10.50.0.0/16', { source: '192.0.2.1' }), elsewhere))
    assert.ok(carried(routeThrough('10.50.0.0/16', { gateway: '172.17.1.2', is_onlink: true }), elsewhere))
  })

  it('keeps all of them for the way back, whatever the new link takes', () => {
    const through = new Map([[NAME, [routeThrough('10.50.0.0/16', { gateway: '172.17.1.2' })]]])
    const change = carryRoutes({ before, after: [elsewhere] }, through)
    assert.deepEqual([change.before?.[0]?.link?.routes, change.after?.[0]?.link?.routes], [through.get(NAME), []])
  })
})

describe('A change that leaves the link', () => {
  const before = [exampleTunnel()]
  it('drops no routes where it changes the MTU or adds an address, and is not about them', () => {
    assert.equal(dropsRoutes({ before, after: [exampleTunnel({ mtu: 1400 })] }), false)
  })

  it('may drop them where it changes the outer header, and then takes them along only to a new link', () => {
    const change = { before, after: [exampleTunnel({ ttl: 64 })] }
    const through = new Map([[NAME, [routeThrough('10.50.0.0/16')]]])
    assert.equal(dropsRoutes(change), true)
    assert.deepEqual(
      (['in_place', 'new_link'] as const).map((manner) => {
        const { after, before: back } = carryRoutes(change, through, manner)
        return [back?.[0]?.link?.routes?.length, after?.[0]?.link?.routes?.length]
      }),
      [
        [1, undefined],
        [1, 1],
      ],
    )
  })

  it('keeps them for the way back where it removes an address, and claims nothing of what the kernel keeps', () => {
    const change = { before, after: [exampleTunnel({ addresses: [] })] }
    assert.equal(dropsRoutes(change), true)
    const { after, before: back } = carryRoutes(change, new Map([[NAME, [routeThrough('10.50.0.0/16')]]]))
    assert.deepEqual([back?.[0]?.link?.routes?.length, after?.[0]?.link?.routes], [1, undefined])
  })
})
