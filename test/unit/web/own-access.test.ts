// Which changes of a tunnel lead the answers to a client another way, by the entry of the routing table that they take
// now.
import assert from 'node:assert/strict'
import { formatCidr, parseIp } from '@panel/shared/address/ip.ts'
import type { RouteThrough, TunnelState } from '@panel/shared/tunnel/model.ts'
import { cutOf, effectOf } from '@panel/shared/impact/own-access.ts'
import { exampleTunnel } from '../../support/example.ts'
import { fakeRoute, routeThrough } from '../../support/fake-routes.ts'

const CLIENT = '10.77.0.9'

describe("The operator's own access", () => {
  const tunnel = (prefix_length: number, is_up = true): TunnelState => {
    const state = exampleTunnel({ addresses: [{ address: '10.77.0.1', peer_address: '', prefix_length }] })
    return { ...state, link: state.link && { ...state.link, is_up } }
  }
  /** How it is cut by a tunnel that goes from one state to another, and over which network. */
  const cut = (
    before: TunnelState | null,
    after: TunnelState | null,
    route = fakeRoute('0.0.0.0/0', 'eth0'),
    server_ip = '192.0.2.1',
  ) => {
    const name = (before ?? after)?.interface_name ?? ''
    const client = parseIp(CLIENT)
    assert.ok(client)
    const found = cutOf(name, effectOf({ addresses: [] }, { before, after }), { client, server_ip }, route)
    return found && `${found.how} ${formatCidr(found.network)}`
  }

  it('goes with the address of this host that the client is connected to, wherever he comes from', () => {
    const other = tunnel(24)
    const moved = { ...other, link: other.link && { ...other.link, config: { ...other.link.config, addresses: [] } } }
    const own = other.link?.config.addresses[0]?.address ?? assert.fail()
    assert.equal(cut(other, moved, fakeRoute('10.77.0.0/16', 'gre-a-1'), own), 'through_tunnel 10.77.0.0/24')
    assert.equal(cut(other, null, fakeRoute('0.0.0.0/0', 'eth0'), own), 'through_tunnel 10.77.0.0/24')
  })

  it('goes with what answers through a tunnel, and is captured by it, where the client has the address of that', () => {
    const plain = tunnel(30)
    const answered = { ...plain, answers: { is_whole: true } }
    const [own, away] = ['10.77.0.1', fakeRoute('0.0.0.0/0', 'eth0')]
    assert.equal(cut(answered, plain, away, own), `route_goes ${CLIENT}/32`)
    assert.equal(cut(plain, answered, away, own), `route_captured ${CLIENT}/32`)
    assert.equal(cut(answered, { ...plain, answers: { is_whole: true } }, away, own), null)
    for (const [before, after] of [
      [answered, plain],
      [plain, answered],
    ] as const) {
      assert.equal(cut(before, after, away, '192.0.2.1'), null, 'another address of this server')
      assert.equal(cut(before, after, fakeRoute('10.64.0.0/10', plain.interface_name), own), null, 'its own route')
    }
    assert.equal(cut(answered, tunnel(30, false), away, own), 'through_tunnel 10.77.0.0/30')
  })

  it('is captured by a new tunnel whose network holds the client', () => {
    assert.equal(cut(null, tunnel(24)), 'route_captured 10.77.0.0/24')
  })

  it('is captured by a tunnel that is brought up, and not by one that stays down', () => {
    assert.equal(cut(tunnel(24, false), tunnel(24)), 'route_captured 10.77.0.0/24')
    assert.equal(cut(null, tunnel(24, false)), null)
  })

  it('is not captured where the kernel has as long a route to the client, or a longer one', () => {
    assert.equal(cut(null, tunnel(24), fakeRoute('10.77.0.0/24', 'eth1')), null)
    assert.equal(cut(null, tunnel(24), fakeRoute('10.77.0.8/30', 'eth1')), null)
    assert.equal(cut(null, tunnel(24), fakeRoute('10.77.0.0/16', 'eth1')), 'route_captured 10.77.0.0/24')
  })

  it('goes with the link that the route to the client leads over', () => {
    const { interface_name } = tunnel(24)
    const route = fakeRoute('10.64.0.0/10', interface_name)
    assert.equal(cut(tunnel(30), null, route), 'through_tunnel 10.64.0.0/10')
    assert.equal(cut(tunnel(30), tunnel(30, false), route), 'through_tunnel 10.64.0.0/10')
  })

  it('goes with the address that the route to the client names as its source', () => {
    const { interface_name } = tunnel(24)
    const bare = tunnel(30)
    assert.ok(bare.link)
    const after = { ...bare, link: { ...bare.link, config: { ...bare.link.config, addresses: [] } } }
    const route = fakeRoute('10.64.0.0/10', interface_name)
    assert.equal(cut(bare, after, { ...route, source: '10.77.0.1' }), 'route_goes 10.64.0.0/10')
    assert.equal(cut(bare, after, { ...route, gateway: '10.77.0.2' }), 'route_goes 10.64.0.0/10')
    assert.equal(cut(bare, after, route), null)
  })

  it('is interrupted where the outer header changes, by whatever way it goes through the tunnel', () => {
    const before = tunnel(30)
    assert.ok(before.link)
    const after = { ...before, link: { ...before.link, config: { ...before.link.config, okey: 9 } } }
    const route = fakeRoute('10.77.0.0/16', before.interface_name)
    assert.equal(cut(before, after, route), 'through_tunnel 10.77.0.0/16')
    assert.equal(cut(before, after, fakeRoute('0.0.0.0/0', 'eth0')), null)
    const without = { ...after, link: { ...after.link, config: { ...after.link.config, addresses: [] } } }
    const bySource = { ...route, source: before.link.config.addresses[0]?.address ?? '' }
    assert.equal(cut(before, without, bySource), 'route_goes 10.77.0.0/16')
  })

  it('goes with the route alone where the link is made again without it, and comes back where it is taken along', () => {
    const before = tunnel(30)
    const remade = (routes: RouteThrough[]): TunnelState => ({
      ...before,
      link: before.link && { ...before.link, config: { ...before.link.config, kind: 'gretap' }, routes },
    })
    const route = fakeRoute('10.77.0.0/16', before.interface_name)
    assert.equal(cut(before, remade([]), route), 'route_goes 10.77.0.0/16')
    assert.equal(cut(before, remade([routeThrough('10.77.0.0/16')]), route), 'through_tunnel 10.77.0.0/16')
  })
})
