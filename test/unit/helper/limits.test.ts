// What root refuses of any client by the limits of the host, whatever each value would be by itself.
import assert from 'node:assert/strict'
import { DEFAULT_LIMITS } from '@panel/shared/limits/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import type { LinkConfig, TunnelState } from '@panel/shared/tunnel/model.ts'
import { byNetworkd, bySystemd, exampleTunnel } from '../../support/example.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper, type InProcessHelper } from '../../support/in-process-helper.ts'

const addresses = (...all: string[]): LinkConfig['addresses'] =>
  all.map((text) => {
    const [address = '', length] = text.split('/')
    return { address, peer_address: '', prefix_length: Number(length) }
  })
const to = (address: string, port = 80): RelayRule['destinations'] => [
  { address, port, port_range_end: null, weight: 1, ...IN_ROTATION },
]

describe('By the limits of the host', () => {
  let kernel: FakeKernel
  let helper: InProcessHelper
  beforeEach(() => {
    kernel = new FakeKernel()
    helper = inProcessHelper(kernel)
  })

  const applied = async (method: 'tunnel.apply' | 'ruleset.apply', before: unknown, after: unknown): Promise<void> => {
    const { outcome } = await helper.request(method, { before, after } as never)
    assert.equal(outcome, 'applied')
  }
  const refused = async (
    method: 'tunnel.apply' | 'ruleset.apply',
    after: unknown,
    code = 'beyond_limits',
    before: unknown = null,
  ): Promise<void> => {
    const picture = kernel.picture()
    await assert.rejects(helper.request(method, { before, after } as never), { code })
    assert.equal(kernel.picture(), picture)
  }
  const tunnel = (number: number, fields: Partial<LinkConfig> = {}): TunnelState => ({
    ...exampleTunnel({ remote_endpoint: `198.51.100.${number}`, addresses: [], ...fields }, `gre-a-${number}`),
    saved: null,
  })
  const limit = (fields: Partial<typeof DEFAULT_LIMITS>): void => {
    kernel.hostLimits = { ...DEFAULT_LIMITS, ...fields }
  }

  it('tunnels draw no more public addresses together than the sum, live and for the next boot', async () => {
    await refused('tunnel.apply', tunnel(1, { addresses: addresses('8.8.0.1/16') }))
    await applied('tunnel.apply', null, tunnel(1, { addresses: addresses('8.8.8.1/27', '9.9.9.1/28') }))
    await refused('tunnel.apply', tunnel(2, { addresses: addresses('11.1.1.1/27') }))
    for (const saver of [bySystemd, byNetworkd]) {
      const whole = exampleTunnel({ addresses: addresses('11.1.1.1/27') }, 'gre-a-2', saver)
      await refused('tunnel.apply', { ...whole, link: null })
    }
    await applied('tunnel.apply', null, tunnel(2, { addresses: addresses('11.1.1.1/28') }))
    await refused('tunnel.apply', tunnel(3, { addresses: addresses('12.1.1.1/32') }))
    await refused('tunnel.apply', tunnel(3, { addresses: addresses('2606:4700::1/61') }))
    await applied('tunnel.apply', null, tunnel(3, { addresses: addresses('2606:4700::1/62') }))
  })

  it('a tunnel that is above the sum already may be changed, made smaller and removed', async () => {
    limit({ tunnel_networks: ['0.0.0.0/0'] })
    const wide = tunnel(1, { addresses: addresses('8.8.8.1/24', '9.9.9.1/24') })
    await applied('tunnel.apply', null, wide)
    limit({})
    const less = tunnel(1, { addresses: addresses('8.8.8.1/24'), mtu: 1300 })
    await applied('tunnel.apply', wide, less)
    const renamed = { ...less, interface_name: 'gre-other' }
    await assert.doesNotReject(helper.request('tunnel.apply', { before: less, after: renamed }))
    await applied('tunnel.apply', renamed, null)
  })

  it('tunnels are no more than so many, in all their networks', async () => {
    limit({ tunnels: 1 })
    await applied('tunnel.apply', null, tunnel(1))
    await refused('tunnel.apply', tunnel(2))
    limit({ tunnel_addresses: 300, tunnel_subnets: 1 })
    await applied('tunnel.apply', null, tunnel(2, { addresses: addresses('10.1.0.1/24') }))
    await refused('tunnel.apply', tunnel(3, { addresses: addresses('10.2.0.1/25') }))
    await refused('tunnel.apply', tunnel(3, { addresses: addresses('fd00:1::1/63') }))
  })

  for (const name of ['wg0', 'docker0', 'tailscale0', 'virbr0', 'br-lan', 'veth1', 'tun7', 'ppp0', 'wan', 'a.1'])
    it(`a new tunnel is not named ${name}, and an adopted one is`, async () => {
      const { link } = tunnel(1)
      for (const state of [
        { link, saved: null },
        { ...exampleTunnel({}, name, byNetworkd), link: null },
      ])
        await refused('tunnel.apply', { ...state, interface_name: name })
      kernel.plant(name, { state: link })
      await helper.request('tunnel.adopt', { interface_name: name, link: link! })
      const before = { interface_name: name, link, saved: null }
      await applied('tunnel.apply', before, { ...before, link: { ...link!, config: { ...link!.config, mtu: 1300 } } })
    })

  for (const remote_endpoint of ['169.254.169.254', '168.63.129.16', '100.100.100.200'])
    it(`a tunnel does not lead to ${remote_endpoint}`, () => refused('tunnel.apply', tunnel(1, { remote_endpoint })))

  it('a mark of other software is given to no tunnel and no rule', async () => {
    await refused('tunnel.apply', tunnel(1, { fwmark: 0x4_0000 }))
    await applied('tunnel.apply', null, tunnel(1, { fwmark: 0xffff }))
    await refused('ruleset.apply', [exampleRule({ fwmark: 0x8000_0000 })])
    await applied('ruleset.apply', null, [exampleRule({ fwmark: 51_820 })])
  })

  for (const address of ['224.0.0.1', '255.255.255.255', '0.0.0.0', '169.254.169.254', '168.63.129.16'])
    it(`a rule does not lead to ${address}, among other destinations either`, async () => {
      await refused('ruleset.apply', [exampleRule({ destinations: to(address) })])
      const both = exampleRule({ balance: 'round_robin', destinations: [...to('10.9.0.2'), ...to(address)] })
      await refused('ruleset.apply', [exampleRule({ route_rule_id: 2, bind_port: 81 }), both])
    })

  it('a rule leads neither to sshd nor to the panel here, on whatever address and within whatever range', async () => {
    kernel.configuredPorts = [
      { port: 22, owner: 'sshd' },
      { port: 8443, owner: 'panel' },
    ]
    for (const [address, port] of [
      ['127.0.0.1', 22],
      ['192.0.2.1', 22],
      ['192.0.2.1', 8443],
      ['127.9.9.9', 8443],
    ] as const)
      await refused('ruleset.apply', [exampleRule({ destinations: to(address, port) })])
    const range = { bind_port: 1000, bind_port_range_end: 2000 }
    const there = [{ ...to('192.0.2.1', 8000)[0]!, port_range_end: 9000 }]
    await refused('ruleset.apply', [exampleRule({ ...range, destinations: there })])
    await applied('ruleset.apply', null, [exampleRule({ destinations: to('10.9.0.2', 22) })])
  })

  it('a rule that led UDP to a port of the panel or sshd does not take TCP there, too', async () => {
    kernel.configuredPorts = [
      { port: 22, owner: 'sshd' },
      { port: 8443, owner: 'panel' },
    ]
    for (const [at, port] of [22, 8443].entries()) {
      const udp = exampleRule({
        route_rule_id: at + 1,
        bind_port: 100 + at,
        protocol: 'udp',
        destinations: to('127.0.0.1', port),
      })
      await applied('ruleset.apply', null, [udp])
      for (const protocol of ['both', 'tcp'] as const) {
        await refused('ruleset.apply', [{ ...udp, protocol }], 'beyond_limits', [udp])
        await refused('ruleset.apply', [{ ...udp, protocol, bind_port: 200 + at }], 'beyond_limits', [udp])
      }
    }
  })

  it('a rule that leads both protocols keeps its destination for one of them, and then gets no other', async () => {
    const [both, udp] = (['both', 'udp'] as const).map((protocol) =>
      exampleRule({ protocol, destinations: to('10.9.0.2', 22) }),
    )
    await applied('ruleset.apply', null, [both])
    limit({ forbidden_destinations: [...DEFAULT_LIMITS.forbidden_destinations, '10.9.0.2'] })
    await applied('ruleset.apply', [both], [udp])
    await refused('ruleset.apply', [both], 'beyond_limits', [udp])
  })

  it('sshd keeps its port from rules while it restarts, and the file can name others', async () => {
    kernel.configuredPorts = [{ port: 22, owner: 'sshd' }]
    await refused('ruleset.apply', [exampleRule({ bind_port: 22 })], 'protected_port')
    await refused('ruleset.apply', [exampleRule({ bind_port: 20, bind_port_range_end: 25 })], 'protected_port')
    limit({ protected_ports: ['sshd', '!22', '5000-5010'] })
    await applied('ruleset.apply', null, [exampleRule({ bind_port: 22 })])
    await refused(
      'ruleset.apply',
      [exampleRule({ route_rule_id: 2, protocol: 'udp', bind_port: 5005 })],
      'protected_port',
    )
  })

  it('a rule sends from no address but those of the host', async () => {
    const snat = (snat_address: string): RelayRule => exampleRule({ nat_mode: 'snat', snat_address })
    await refused('ruleset.apply', [snat('8.8.8.8')], 'protected_address')
    await applied('ruleset.apply', null, [snat('192.0.2.1')])
    kernel.hostInterfaces = kernel.hostInterfaces.map((one) => ({ ...one, addresses: [] }))
    await applied('ruleset.apply', [snat('192.0.2.1')], [{ ...snat('192.0.2.1'), is_logging_enabled: true }])
  })

  it('what this host sends to an address that came by a tunnel meets no rule, whichever came first', async () => {
    const open = tunnel(1, { addresses: addresses('1.1.1.1/32') })
    const there = exampleRule({ bind_address: '1.1.1.1', is_include_local_originated: true })
    const wildcard = exampleRule({ bind_address: '0.0.0.0', is_include_local_originated: true })
    for (const rule of [there, { ...there, is_include_local_originated: false }, wildcard]) {
      await applied('ruleset.apply', null, [rule])
      await refused('tunnel.apply', open)
      await applied('ruleset.apply', [rule], null)
      await applied('tunnel.apply', null, open)
      await refused('ruleset.apply', [rule])
      await applied('tunnel.apply', open, null)
    }
    const ofBoot = { ...exampleTunnel({ addresses: addresses('1.1.1.1/32') }), link: null }
    await applied('tunnel.apply', null, ofBoot)
    for (const rule of [there, wildcard]) await refused('ruleset.apply', [rule])
    await applied('tunnel.apply', ofBoot, null)
    await applied('tunnel.apply', null, open)
    const [outside, inside] = [
      exampleRule({ bind_address: '0.0.0.0' }),
      tunnel(2, { addresses: addresses('10.9.9.1/30') }),
    ]
    await applied('ruleset.apply', null, [outside])
    await refused('ruleset.apply', [wildcard], 'beyond_limits', [outside])
    await applied('tunnel.apply', null, inside)
    await applied('ruleset.apply', null, [{ ...there, route_rule_id: 2, bind_address: '10.9.9.1' }])
  })

  it('rules are no more than so many, and none has too many pairs of a source and a destination', async () => {
    const sources = (count: number): string[] => Array.from({ length: count }, (_, at) => `10.${at}.0.0/16`)
    const destinations = Array.from({ length: 64 }, (_, at) => to(`10.9.1.${at + 1}`)).flat()
    const heavy = exampleRule({ balance: 'round_robin', destinations, allowed_sources: sources(200) })
    await refused('ruleset.apply', [heavy])
    await applied('ruleset.apply', null, [{ ...heavy, allowed_sources: heavy.allowed_sources.slice(0, 128) }])
    limit({ rules: 1 })
    await refused('ruleset.apply', [exampleRule({ route_rule_id: 2, bind_port: 81 })])
    limit({ elements: 300 })
    await refused('ruleset.apply', [exampleRule({ route_rule_id: 2, bind_port: 81 })], 'unsupported')
  })

  it('a fault in the file has nothing new allowed, and what is there can be removed', async () => {
    await applied('tunnel.apply', null, tunnel(1))
    await applied('ruleset.apply', null, [exampleRule()])
    kernel.limitsFault = message('limits.fault', { path: '/x', line: 3, why: message('limits.no_line') })
    await refused('tunnel.apply', tunnel(2), 'state_unusable')
    await refused('ruleset.apply', [exampleRule({ route_rule_id: 2, bind_port: 81 })], 'state_unusable')
    const { limits } = await helper.request('host.probe', { parts: ['limits'] })
    assert.match(limits?.fault ?? '', /line 3: it is not of the form/)
    await applied('tunnel.apply', tunnel(1), null)
    await applied('ruleset.apply', [exampleRule()], null)
  })

  it('a tunnel does not take the way to a name server of the host', async () => {
    kernel.hostResolvers = ['10.53.0.1', '2001:db8:53::1']
    await refused('tunnel.apply', tunnel(1, { addresses: addresses('10.53.0.9/24') }), 'protected_address')
    await refused('tunnel.apply', tunnel(1, { addresses: addresses('2001:db8:53::9/64') }), 'protected_address')
  })

  it('shows how much of each sum is used', async () => {
    await applied('tunnel.apply', null, tunnel(1, { addresses: addresses('8.8.8.1/30', '10.0.0.1/24', 'fd00::1/64') }))
    await applied('ruleset.apply', null, [exampleRule({ allowed_sources: ['10.0.0.0/8'] })])
    assert.deepEqual((await helper.request('host.probe', { parts: ['limits_used'] })).limits_used, {
      tunnel_public_addresses: 4,
      tunnel_public_subnets: 0,
      tunnel_addresses: 260,
      tunnel_subnets: 1,
      tunnels: 1,
      rules: 1,
      elements: 2,
      drawn: [{ interface_name: 'gre-a-1', public_addresses: 4, public_subnets: 0 }],
    })
  })
})
