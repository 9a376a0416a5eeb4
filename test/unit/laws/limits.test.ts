// The law of what root lets anybody compose, whatever the requests and their order: by an oracle that looks at what the
// host has then, address by address.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { contains, enclosingNetwork, formatCidr, parseCidr, type Cidr } from '@panel/shared/address/ip.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import type { ForwardingState } from '@panel/shared/forwarding/model.ts'
import type { NetworkState } from '@panel/shared/network/model.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { addressNetworks } from '@panel/shared/tunnel/networks.ts'
import { byNetworkd, bySystemd, exampleTunnel } from '../../support/example.ts'
import { exampleNetwork } from '../../support/example-network.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { repetitions } from '../../support/counts.ts'
import { HelperRefusal, inProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const REQUESTS = repetitions('PANEL_COMPOSED')
const SEQUENCE = 100
const [SSHD, PANEL] = [22, 8443]
/** What an attacker would draw to the host, and what tunnels are for. */
const OPEN = '8.8.8.0/24'
const OWN = '10.20.0.0/24'
/** A link that is not the panel's. */
const FOREIGN = 'vx0'

const last = fc.integer({ min: 1, max: 254 })
const inside = (network: string) => last.map((octet) => network.replace(/\.0\/24$/, `.${octet}`))
const somewhere = fc.oneof(inside(OPEN), inside(OWN))
const port = fc.oneof(fc.constantFrom(SSHD, PANEL, 80, 443), fc.integer({ min: 1, max: 65_535 }))

const address = fc.record({
  address: somewhere,
  peer_address: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: somewhere }),
  prefix_length: fc.integer({ min: 26, max: 32 }),
})
const tunnel = fc
  .record({
    number: fc.integer({ min: 1, max: 6 }),
    addresses: fc.array(address, { maxLength: 3 }),
    name: fc.constantFrom('gre-a-', 'gre-a-', 'gre-a-', 'wg'),
    fwmark: fc.constantFrom(null, null, 1, 0x10_0000),
    where: fc.constantFrom('live', 'both', 'systemd', 'networkd'),
  })
  .map(({ number, addresses, name, fwmark, where }) => {
    const fields = { remote_endpoint: `198.51.100.${number}`, addresses, fwmark }
    const whole = exampleTunnel(fields, `${name}${number}`, where === 'networkd' ? byNetworkd : bySystemd)
    if (where === 'live') return { ...whole, saved: null }
    return where === 'both' ? whole : { ...whole, link: null }
  })
const rule = fc
  .record({
    id: fc.integer({ min: 1, max: 6 }),
    bind_address: fc.oneof(fc.constantFrom('0.0.0.0', '192.0.2.1'), somewhere),
    bind_port: port,
    width: fc.constantFrom(0, 0, 30),
    protocol: fc.constantFrom('tcp', 'udp', 'both' as const),
    to: fc.oneof(fc.constantFrom('127.0.0.1', '192.0.2.1', '169.254.169.254', '224.0.0.1', '10.9.0.2'), somewhere),
    destination_port: port,
    is_local: fc.boolean(),
    snat_address: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: somewhere }),
    fwmark: fc.constantFrom(null, null, 7, 0x5000_0000),
  })
  .map((one): RelayRule | null => {
    const { id, bind_port, width, to, destination_port } = one
    if (Math.max(bind_port, destination_port) + width > 65_535) return null
    const end = (first: number): number | null => (width === 0 ? null : first + width)
    return exampleRule({
      route_rule_id: id,
      bind_address: one.bind_address,
      bind_port,
      bind_port_range_end: end(bind_port),
      protocol: one.protocol,
      destinations: [
        { address: to, port: destination_port, port_range_end: end(destination_port), weight: 1, ...IN_ROTATION },
      ],
      is_include_local_originated: one.is_local,
      nat_mode: one.snat_address === null ? 'masquerade' : 'snat',
      snat_address: one.snat_address,
      fwmark: one.fwmark,
    })
  })

const network = fc
  .record({
    within: somewhere,
    prefix_length: fc.integer({ min: 26, max: 32 }),
    name: fc.constantFrom('gre-a-1', 'gre-a-2', 'gre-a-3', FOREIGN),
    weight: fc.constantFrom(0, 1),
    own_addresses: fc.uniqueArray(somewhere, { maxLength: 1 }),
  })
  .map(({ within, prefix_length, name, weight, own_addresses }) =>
    exampleNetwork({
      destination: formatCidr(enclosingNetwork(networkOf(within).base, prefix_length)),
      paths: [{ interface_name: name, weight }],
      own_addresses,
    }),
  )

/** At the bounds of the fake kernel, beyond them, and in between; the first is what it has by itself. */
const SIZES = [262_144, 0, 1, 262_143, 524_288, 2_097_152, 2_097_153, 16_777_216] as const
const size = fc.constantFrom(...SIZES, SIZES[0], 524_288, 2_097_152)
const tracking = fc.oneof(
  fc.record({ live: size, saved: fc.option(fc.record({ value: size.filter((one) => one > 0), previous: size })) }),
  size.map((value) => ({ live: value, saved: value === 0 ? null : { value, previous: SIZES[0] } })),
)

type Action =
  | {
      readonly method: 'forwarding.apply'
      readonly wanted: typeof tracking extends fc.Arbitrary<infer T> ? T : never
      readonly isRemoved: boolean
    }
  | { readonly method: 'network.apply'; readonly wanted: NetworkState; readonly isRemoved: boolean }
  | { readonly method: 'tunnel.apply'; readonly wanted: TunnelState; readonly isRemoved: boolean }
  | { readonly method: 'ruleset.apply'; readonly wanted: RelayRule | null; readonly isRemoved: boolean }
const isRemoved = fc.integer({ min: 0, max: 9 }).map((n) => n < 2)
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ method: fc.constant('tunnel.apply' as const), wanted: tunnel, isRemoved }),
  fc.record({ method: fc.constant('forwarding.apply' as const), wanted: tracking, isRemoved }),
  fc.record({ method: fc.constant('ruleset.apply' as const), wanted: rule, isRemoved }),
  fc.record({ method: fc.constant('network.apply' as const), wanted: network, isRemoved }),
)

const every = (network: string): string[] =>
  Array.from({ length: 254 }, (_, at) => network.replace(/\.0\/24$/, `.${at + 1}`))
const networkOf = (text: string): Cidr => parseCidr(text) ?? assert.fail(text)

/** What the host has of tunnels, live and for the next boot. */
async function tunnelsOf(helper: ReturnType<typeof inProcessHelper>) {
  const { tunnels } = await helper.request('tunnel.probe', { interface_names: [] })
  return tunnels.map(({ interface_name, state }) => {
    const configs = [state?.link?.config, state?.saved?.systemd_unit?.config, state?.saved?.networkd_network?.config]
    return { interface_name, state, addresses: configs.flatMap((config) => config?.addresses ?? []) }
  })
}

/** What the host holds in the place of what is wanted. */
async function heldAs(
  kernel: FakeKernel,
  helper: ReturnType<typeof inProcessHelper>,
  { method, wanted }: Action,
): Promise<unknown> {
  if (method === 'tunnel.apply')
    return (await tunnelsOf(helper)).find((one) => one.interface_name === wanted.interface_name)?.state ?? null
  if (method === 'ruleset.apply')
    return (await kernel.rulesets.read()).rules.filter((one) => one.route_rule_id === wanted?.route_rule_id)
  if (method === 'forwarding.apply') return (await helper.request('forwarding.probe', {})).state
  const { networks } = await helper.request('network.probe', { destinations: [wanted.destination] })
  return networks.map(({ state }) => state)
}

/** What a request states beside what the host holds. */
function stated({ method, wanted, isRemoved: isGone }: Action, held: unknown): unknown {
  if (method !== 'forwarding.apply') return isGone ? null : method === 'tunnel.apply' ? wanted : [wanted]
  const { live, conntrack_max, saved } = held as ForwardingState
  if (isGone) return { live, conntrack_max: saved?.conntrack_max?.previous ?? conntrack_max, saved: null }
  return {
    live,
    conntrack_max: wanted.live,
    saved: wanted.saved && { switches: live, previous: live, conntrack_max: wanted.saved },
  }
}

describe('Whatever is composed of requests that root accepts', function () {
  quietly()

  /** `had`: the addresses that the host has had, of which a rule keeps the one that it sends from. */
  async function law(kernel: FakeKernel, helper: ReturnType<typeof inProcessHelper>, had: Set<string>): Promise<void> {
    const tunnels = await tunnelsOf(helper)
    const { rules } = await kernel.rulesets.read()
    const behind = kernel.networks.kept()
    const networks = [
      ...tunnels.flatMap(({ addresses }) => addressNetworks(addresses)),
      ...behind.map(({ destination }) => networkOf(destination)),
    ]
    for (const { paths, own_addresses } of behind) {
      assert.ok(paths.every(({ interface_name }) => interface_name !== FOREIGN))
      assert.ok(own_addresses.every((one) => !contains(networkOf(OPEN), networkOf(one).base)))
    }
    for (const one of kernel.networks.addresses) had.add(one)
    const most = kernel.forwarding.conntrack?.max ?? 0
    assert.ok(most >= SIZES[0] && most <= 2_097_152, `${most} connections are tracked`)
    const drawn = every(OPEN).filter((one) => networks.some((network) => contains(network, networkOf(one).base)))
    assert.ok(drawn.length <= 64, `${drawn.length} public addresses are led into tunnels`)
    assert.deepEqual(
      tunnels.filter(({ interface_name }) => !interface_name.startsWith('gre-')),
      [],
    )
    const own = new Set(tunnels.flatMap(({ addresses }) => addresses.map((one) => one.address)))
    for (const one of own) had.add(one)
    const brought = [...own].filter((one) => contains(networkOf(OPEN), networkOf(one).base))
    for (const { bind_address, is_include_local_originated, ...one } of rules) {
      const isMet = (text: string): boolean =>
        bind_address === text || (bind_address === '0.0.0.0' && is_include_local_originated)
      assert.deepEqual(brought.filter(isMet), [], 'what somebody else decides comes to a rule')
      const takes = (first: number, end: number | null, wanted: number): boolean =>
        first <= wanted && wanted <= (end ?? first)
      for (const kept of [SSHD, PANEL]) {
        assert.ok(one.protocol === 'udp' || !takes(one.bind_port, one.bind_port_range_end, kept), `${kept} is taken`)
        for (const { address: to, port: first, port_range_end } of one.destinations)
          assert.ok(
            one.protocol === 'udp' || !['127.0.0.1', '192.0.2.1'].includes(to) || !takes(first, port_range_end, kept),
            `${kept} is led to`,
          )
      }
      for (const { address: to } of one.destinations) assert.ok(!/^(169\.254|224)\./.test(to), to)
      assert.ok(one.snat_address === null || had.has(one.snat_address), `it sends from ${one.snat_address}`)
      assert.ok((one.fwmark ?? 0) <= 0xffff)
    }
  }

  it(`of ${REQUESTS}, tunnels draw to the host what they are for, and no rule takes what it must not`, async () => {
    const counted = { accepted: 0, beyond: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: SEQUENCE, maxLength: SEQUENCE }), async (actions) => {
        const kernel = new FakeKernel()
        kernel.configuredPorts = [
          { port: SSHD, owner: 'sshd' },
          { port: PANEL, owner: 'panel' },
        ]
        kernel.plant(FOREIGN, {})
        const [helper, had] = [inProcessHelper(kernel), new Set(['192.0.2.1'])]
        for (const one of actions) {
          if (!one.wanted) continue
          const before = await heldAs(kernel, helper, one)
          const held = Array.isArray(before) && before.length === 0 ? null : before
          const after = stated(one, held)
          if (!held && !after) continue
          try {
            await helper.request(one.method, { before: held, after } as never)
            counted.accepted += 1
          } catch (error) {
            if (!(error instanceof HelperRefusal)) throw error
            if (error.code === 'beyond_limits') counted.beyond += 1
          }
          await law(kernel, helper, had)
        }
      }),
      // A sequence that is made shorter no longer begins where it did, and prints on.
      { numRuns: Math.ceil(REQUESTS / SEQUENCE), endOnFailure: true },
    )
    assert.ok(counted.accepted > REQUESTS / 12 && counted.beyond > REQUESTS / 12, JSON.stringify(counted))
  })
})
