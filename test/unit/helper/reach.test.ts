// What a tunnel may draw to itself and what it may be called: root's own answer to any client.
import assert from 'node:assert/strict'
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import type { LinkConfig, TunnelState } from '@panel/shared/tunnel/model.ts'
import { probeTunnels } from '@panel/root-helper/nouns/tunnel/probe.ts'
import { exampleTunnel, byNetworkd, bySystemd } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { routeThrough } from '../../support/fake-routes.ts'
import { inProcessHelper, type InProcessHelper } from '../../support/in-process-helper.ts'

const address = (text: string, peer_address = ''): LinkConfig['addresses'] => {
  const [own = '', length] = text.split('/')
  return [{ address: own, peer_address, prefix_length: Number(length) }]
}

describe('What root refuses of a tunnel', () => {
  let kernel: FakeKernel
  let helper: InProcessHelper
  beforeEach(() => {
    kernel = new FakeKernel()
    kernel.hostRoutes = [...kernel.hostRoutes, { ...kernel.hostRoutes[0]!, gateway: '203.0.113.1', device: 'eth0' }]
    kernel.hostClients = [{ address: '198.51.100.7', came_to: '192.0.2.1' }]
    helper = inProcessHelper(kernel)
  })

  const refused = async (after: TunnelState, code: string | null, before: TunnelState | null = null): Promise<void> => {
    const picture = kernel.picture()
    const requests = helper.request('tunnel.apply', { before, after })
    if (code === null) return assert.equal((await requests).outcome, 'applied')
    await assert.rejects(requests, { code })
    assert.equal(kernel.picture(), picture)
  }
  /** What is found of it then: the kernel takes its IPv6 addresses. */
  const goDown = async (up: TunnelState) => {
    await refused({ ...up, link: up.link && { ...up.link, is_up: false } }, null, up)
    await kernel.links.setUp('gre-a-1', true)
    await kernel.links.setUp('gre-a-1', false)
    return probeTunnels(kernel, ['gre-a-1'])
  }
  /** The state as a link, in the unit of boot and in the files of networkd, each alone. */
  const everywhere = (fields: Partial<LinkConfig>): TunnelState[] => {
    const whole = exampleTunnel(fields)
    const alone = [bySystemd, byNetworkd].map((saver) => ({ ...exampleTunnel(fields, 'gre-a-1', saver), link: null }))
    return [{ ...whole, saved: null }, ...alone]
  }

  for (const [what, addresses] of Object.entries({
    'half of all addresses': address('128.0.0.1/1'),
    'a network wider than /16': address('10.20.0.1/15'),
    'a network wider than /48': address('fd00:1::1/47'),
    'everything beyond a peer': address('10.20.0.1/8', '10.30.0.1'),
    'the loopback': address('127.0.0.2/32'),
    'the IPv6 loopback': address('::2/64'),
    'a multicast address': address('224.0.0.5/24'),
    'a reserved address': address('240.0.0.1/24'),
    'an address of "this" network': address('0.0.0.9/24'),
    'link-local addresses': address('fe80::1/64'),
    'an IPv4 address written as IPv6': address('::ffff:10.0.0.1/128'),
    'a multicast peer': address('10.20.0.1/32', '224.0.0.9'),
    'an address of another interface': address('192.0.2.1/32'),
    'the network of another interface': address('192.0.2.77/24'),
    'the next hop of the default route': address('192.0.2.254/32'),
    'a network with the next hop in it': address('192.0.2.253/30'),
    'a peer that is the next hop': address('10.20.0.1/32', '192.0.2.254'),
    'the IPv6 next hop': address('2001:db8::f1/124'),
    'the second next hop': address('203.0.113.5/24'),
    'whoever is connected to the panel': address('198.51.100.1/29'),
  }))
    it(`is ${what} in its addresses, in the kernel and in each file`, async () => {
      for (const after of everywhere({ addresses })) await refused(after, 'protected_address')
    })

  for (const [what, ends] of Object.entries({
    'a multicast endpoint': { remote_endpoint: '224.0.0.5' },
    'any endpoint': { remote_endpoint: '0.0.0.0' },
    'the broadcast address': { remote_endpoint: '255.255.255.255' },
    'an unspecified local endpoint': { local_endpoint: '0.0.0.0' },
    'twice the same endpoint': { remote_endpoint: '192.0.2.1' },
  }))
    it(`is ${what}, in the kernel and in each file`, async () => {
      for (const after of everywhere(ends)) await refused(after, 'protected_address')
    })

  for (const name of [
    'all',
    'default',
    'lo',
    'gre0',
    'eth1',
    'eno1',
    'ens3',
    'enp0s31f6',
    'enP2p1s0',
    'enx001122334455',
    'wlp2s0',
    'wlan0',
  ])
    it(`is the name ${name}, for a link and for files alone`, async () => {
      for (const saver of [bySystemd, byNetworkd]) {
        await refused(exampleTunnel({}, name, saver), 'protected_interface')
        await refused({ ...exampleTunnel({}, name, saver), link: null }, 'protected_interface')
      }
    })

  it('is that foreign software sends it routes for the new link', async () => {
    const state = exampleTunnel()
    const routes = [routeThrough('10.50.0.0/16')]
    await refused({ ...state, link: state.link && { ...state.link, routes } }, 'malformed')
  })

  it('is the name of an interface that is no tunnel, and one that is another name of it', async () => {
    kernel.plant('docker0', { kind: 'bridge' })
    kernel.altNames.set('uplink', 'docker0')
    for (const name of ['docker0', 'uplink'])
      await refused({ ...exampleTunnel({}, name, byNetworkd), link: null }, 'protected_interface')
  })

  it('is nothing that sensible tunnels have', async () => {
    for (const name of ['gre-a-1', 'ensign', 'wlan', 'ethernet', 'enable1', 'ibiza', 'eth', 'tun-a-1', 'wander'])
      await refused({ ...exampleTunnel({ addresses: address('10.20.0.1/16') }, name, byNetworkd), link: null }, null)
    await refused(
      exampleTunnel({ addresses: [...address('10.21.0.1/32', '10.21.0.2'), ...address('fd00:1::1/48')] }, 'gre-a-2'),
      null,
    )
  })

  it('is not what a tunnel has already, so that an adopted one can be changed', async () => {
    const odd = exampleTunnel({ addresses: address('10.20.0.1/8'), remote_endpoint: '224.0.0.5' }, 'eth9')
    kernel.plant('eth9', { state: odd.link })
    const bare = { ...odd, saved: null }
    await helper.request('tunnel.adopt', { interface_name: 'eth9', link: odd.link! })
    await refused(odd, null, bare)
    const longer = (state: TunnelState): TunnelState => ({
      ...state,
      link: state.link && { ...state.link, config: { ...state.link.config, mtu: 1300 } },
    })
    await refused(canonicalTunnel(longer(odd))!, null, odd)
    await assert.doesNotReject(helper.request('tunnel.apply', { before: longer(odd), after: null }))
  })

  it('is an address that a file has had for longer than a client is connected from there', async () => {
    const whole = exampleTunnel({ addresses: address('198.51.100.9/29') })
    const saved = { ...whole, link: null }
    kernel.hostClients = []
    await refused(saved, null)
    kernel.hostClients = [{ address: '198.51.100.14', came_to: '192.0.2.1' }]
    await refused(whole, 'protected_address', saved)
    kernel.hostClients = []
    await refused(whole, null, saved)
  })

  it('is nothing that a link has already, so that one that goes down and up again comes back', async () => {
    const up = exampleTunnel({ addresses: [...address('172.17.1.1/30'), ...address('fd00:1::1/64')] })
    await refused(up, null)
    kernel.hostClients = [{ address: '172.17.1.2', came_to: '192.0.2.1' }]
    kernel.hostRoutes = kernel.hostRoutes.map((route) => ({ ...route, gateway: route.gateway && 'fd00:1::fe' }))
    const [{ state: down } = { state: null }] = await goDown(up)
    await refused(up, null, down)
  })

  it('is not the address from which a client came to the tunnel’s own, even after the link is gone', async () => {
    const before = exampleTunnel({ addresses: address('172.17.1.1/30') })
    kernel.hostClients = [{ address: '172.17.1.2', came_to: '172.17.1.1' }]
    await refused(before, null)
    await refused(
      exampleTunnel({ addresses: [...address('172.17.1.1/30'), ...address('172.17.2.1/16')] }),
      null,
      before,
    )
  })
})
