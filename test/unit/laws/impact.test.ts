// What the impact of a change may and may not say, over random states, and its table of fates case by case.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Impact } from '@panel/shared/api/impact/impact.ts'
import { impactOf, type ImpactFacts } from '@panel/shared/impact/impact.ts'
import type { HostChange } from '@panel/shared/impact/foreseen.ts'
import type { RuleFacts } from '@panel/shared/impact/rules.ts'
import { message } from '@panel/shared/messages/message.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import type { LinkConfig, TunnelState } from '@panel/shared/tunnel/model.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { exampleTunnel } from '../../support/example.ts'
import { fakeRoute, routeThrough } from '../../support/fake-routes.ts'
import { relayRules } from '../../support/random-rules.ts'
import { statePair, tunnelState } from '../../support/random-states.ts'

const OWN = [{ address: '10.77.0.1', peer_address: '', prefix_length: 24 }]
const state = (fields: Partial<LinkConfig> = {}, is_up = true): TunnelState => {
  const made = exampleTunnel({ addresses: OWN, ...fields })
  return { ...made, link: made.link && { ...made.link, is_up } }
}
const tunnel = (before: TunnelState | null, after: TunnelState | null): HostChange => ({
  noun: 'tunnel',
  change: { before, after },
})
const rules = (before: readonly RelayRule[], after: readonly RelayRule[]): HostChange => ({
  noun: 'route',
  change: { before: rulesOrNull([...before]), after: rulesOrNull([...after]) },
})

const factsOf = (rule: RelayRule, interface_name: string | null = null): RuleFacts => ({
  route_rule_id: rule.route_rule_id,
  title: `rule ${rule.route_rule_id}`,
  is_enabled: true,
  rule,
  ways: rule.destinations.map(({ address }) => ({ address, interface_name, network: '10.77.0.0/24' })),
})

const facts = (more: Partial<ImpactFacts> = {}): ImpactFacts => ({
  checked_at: '2026-01-01T00:00:00.000Z',
  client: { client_ip: '198.51.100.7', server_ip: '', route: fakeRoute('0.0.0.0/0', 'eth0'), isRouteKnown: true },
  tunnels: [{ tunnel_id: 1, interface_name: 'gre-a-1', state: 'Up', underlay_device: 'eth0' }],
  rules: [],
  connections: { unknown: null, totals: new Map(), byDestination: null },
  older: 0,
  through: new Map(),
  took: () => null,
  ...more,
})
const impact = (changes: readonly HostChange[], more: Partial<ImpactFacts> = {}): Impact =>
  impactOf({ changes, warnings: [] }, facts(more))

/** One rule over the tunnel, with 20 connections. */
const relayed = (fields: Partial<RelayRule>): Partial<ImpactFacts> => ({
  rules: [factsOf(exampleRule({ destinations: [destination], ...fields }), 'gre-a-1')],
  connections: { unknown: null, totals: new Map([[1, 20]]), byDestination: null },
})
const destination = { address: '10.77.0.9', port: 80, port_range_end: null, weight: 1, ...IN_ROTATION }
const MASQUERADE = { nat_mode: 'masquerade' } as const
const SNAT = { nat_mode: 'snat', snat_address: '10.77.0.1' } as const

const CHANGES = {
  'a smaller MTU': [tunnel(state(), state({ mtu: 1300 }))],
  'one more address': [tunnel(state(), state({ addresses: [...OWN, { ...OWN[0]!, address: '10.78.0.1' }] }))],
  'a restart': [tunnel(state(), state({}, false)), tunnel(state({}, false), state())],
  'another outer header': [tunnel(state(), state({ ikey: 9, okey: 9, remote_endpoint: '192.0.2.9' }))],
  'another outer header of a TAP': [tunnel(state({ kind: 'gretap' }), state({ kind: 'gretap', ttl: 9 }))],
  'a recreate': [tunnel(state({ kind: 'gretap' }), state())],
  'a recreate as a TAP': [tunnel(state(), state({ kind: 'gretap' }))],
  'taken down': [tunnel(state(), state({}, false))],
  'a deletion': [tunnel(state(), null)],
  'other addresses': [tunnel(state(), state({ addresses: [{ ...OWN[0]!, address: '10.99.0.1' }] }))],
} as const

/** [interruption, fate behind a masquerade, fate behind SNAT] */
const TABLE: Record<keyof typeof CHANGES, readonly [string, string, string]> = {
  'a smaller MTU': ['none', 'survive', 'survive'],
  'one more address': ['none', 'survive', 'survive'],
  'a restart': ['brief', 'survive', 'survive'],
  'another outer header': ['brief', 'survive', 'survive'],
  'another outer header of a TAP': ['brief', 'survive', 'survive'],
  'a recreate': ['brief', 'survive', 'survive'],
  'a recreate as a TAP': ['brief', 'at_risk', 'at_risk'],
  'taken down': ['lasting', 'end', 'end'],
  'a deletion': ['lasting', 'end', 'end'],
  'other addresses': ['brief', 'end', 'end'],
}

describe('The impact of a change', () => {
  for (const what of Object.keys(CHANGES) as (keyof typeof CHANGES)[])
    it(`of a tunnel, ${what}, is ${TABLE[what].join(', ')}`, () => {
      const [masqueraded, snat] = [MASQUERADE, SNAT].map((nat) => impact(CHANGES[what], relayed(nat)))
      assert(masqueraded && snat)
      const fateOf = ({ rules: [rule] }: Impact): string => rule?.fate ?? 'none'
      assert.deepEqual([masqueraded.interruption, fateOf(masqueraded), fateOf(snat)], TABLE[what])
      const { survive, at_risk, end, total } = masqueraded.connections
      assert.deepEqual(
        { survive, at_risk, end, total },
        { survive: 0, at_risk: 0, end: 0, total: 20, [TABLE[what][1]]: 20 },
      )
    })

  const TWO_NETWORKS = { addresses: [...OWN, { ...OWN[0]!, address: '10.78.0.1' }] }
  const TWO_OF_ONE = { addresses: [...OWN, { ...OWN[0]!, address: '10.77.0.3' }] }
  const restart = (fields: Partial<LinkConfig>): HostChange[] => [
    tunnel(state(fields), state(fields, false)),
    tunnel(state(fields, false), state(fields)),
  ]
  for (const [where, fields, fate] of [
    ['over a tunnel with one address', {}, 'survive'],
    ['over a tunnel with addresses of two networks', TWO_NETWORKS, 'at_risk'],
    ['over one with two addresses of one network', TWO_OF_ONE, 'survive'],
  ] as const)
    it(`of a restart is ${fate} for what is masqueraded ${where}`, () => {
      const { rules: found } = impact(restart(fields), relayed(MASQUERADE))
      assert.deepEqual(
        found.map((rule) => rule.fate),
        [fate],
      )
    })

  it('of none is none, whatever there is', () =>
    fc.assert(
      fc.property(relayRules, (all) => {
        const { interruption, rules, tunnels, routes, connections, own_access, summary } = impact([], {
          rules: all.map((rule) => factsOf(rule, 'gre-a-1')),
        })
        assert.deepEqual([interruption, rules, tunnels, routes, own_access.is_affected], ['none', [], [], [], false])
        assert.deepEqual(
          [connections.total, summary],
          [0, 'Tunnels, networks, relay rules and IP forwarding stay as they are.'],
        )
      }),
    ))

  it('of a change to what there is already is none', () =>
    fc.assert(
      fc.property(tunnelState, relayRules, (one, all) => {
        const found = impact([tunnel(one, one), rules(all, all)], { rules: all.map((rule) => factsOf(rule, 'tun')) })
        assert.deepEqual([found.interruption, found.rules, found.routes], ['none', [], []])
      }),
    ))

  it('counts each connection of the rules that it names once, and no other', () =>
    fc.assert(
      fc.property(statePair, relayRules, fc.infiniteStream(fc.nat(50)), ([before, after], all, counts) => {
        const totals = new Map(all.map(({ route_rule_id }) => [route_rule_id, counts.next().value as number]))
        const name = (before ?? after)?.interface_name ?? ''
        const found = impact([tunnel(before, after)], {
          rules: all.map((rule) => factsOf(rule, name)),
          connections: { unknown: null, totals, byDestination: null },
        })
        const { total, survive, at_risk, end } = found.connections
        const named = found.rules.reduce((sum, { route_rule_id }) => sum + (totals.get(route_rule_id) ?? 0), 0)
        assert.deepEqual([total, (survive ?? 0) + (at_risk ?? 0) + (end ?? 0)], [named, named])
        if (found.interruption === 'none') assert.equal((at_risk ?? 0) + (end ?? 0), 0)
      }),
    ))

  it('says of connections that were not counted that they are not known, never 0', () => {
    const unknown = message('impact.not_counted')
    const { connections, rules, summary } = impact([...CHANGES['a deletion']], {
      ...relayed(MASQUERADE),
      connections: { unknown, totals: new Map(), byDestination: null },
    })
    assert.deepEqual(
      [connections.is_known, connections.total, connections.end, connections.at_risk, rules[0]?.connections],
      [false, null, null, null, null],
    )
    assert.match(summary, /unknown/)
  })

  it('tells the connections of a rule apart by where they go', () => {
    const elsewhere = { ...destination, address: '198.51.100.80' }
    const rule = exampleRule({ destinations: [destination, elsewhere], balance: 'round_robin' })
    const ways = [
      { address: '10.77.0.9', interface_name: 'gre-a-1', network: '10.77.0.0/24' },
      { address: '198.51.100.80', interface_name: null, network: '0.0.0.0/0' },
    ]
    const counted = (byDestination: ImpactFacts['connections']['byDestination']): Impact['connections'] =>
      impact([...CHANGES['a deletion']], {
        rules: [{ ...factsOf(rule), ways }],
        connections: { unknown: null, totals: new Map([[1, 20]]), byDestination },
      }).connections
    const many = (destination_address: string, length: number) =>
      Array.from({ length }, () => ({ destination_address, destination_port: 80 }))
    const { end, survive } = counted(() => [...many('10.77.0.9', 12), ...many('198.51.100.80', 8)])
    assert.deepEqual({ end, survive }, { end: 12, survive: 8 })
    const most = counted(null)
    assert.deepEqual([most.end, most.detail_message.params['second'] !== undefined], [20, true])
  })

  it('names the neighbours that a rule overtakes or sets free', () => {
    const [one, other] = [exampleRule({ sort_order: 5 }), exampleRule({ route_rule_id: 2, sort_order: 9 })]
    const moved = exampleRule({ sort_order: 20 })
    const all = { rules: [factsOf(one), factsOf(other)] }
    const whyOf = (change: HostChange): (string | undefined)[] => {
      const { interruption, rules } = impact([change], all)
      return [interruption, rules.find(({ route_rule_id }) => route_rule_id === 2)?.why]
    }
    assert.deepEqual(whyOf(rules([one], [moved])), ['new_only', 'set_free'])
    assert.deepEqual(whyOf(rules([moved], [one])), ['new_only', 'overtaken'])
    assert.deepEqual(whyOf(rules([one], [])), ['new_only', 'set_free'])
    assert.deepEqual(whyOf(rules([one], [exampleRule({ sort_order: 6 })])), ['new_only', undefined])
  })

  it('tells which routes come back, and which are lost', () => {
    const [kept, multipath] = [routeThrough('10.90.0.0/16'), routeThrough('10.91.0.0/16', { unmodelled: ['nexthops'] })]
    const after = state({ kind: 'gretap' })
    const carried = { ...after, link: after.link && { ...after.link, routes: [kept] } }
    const { routes } = impact([tunnel(state(), carried)], { through: new Map([['gre-a-1', [kept, multipath]]]) })
    assert.deepEqual(
      routes?.map(({ destination, fate }) => [destination, fate]),
      [
        ['10.77.0.0/24', 'comes_back'],
        ['10.90.0.0/16', 'comes_back'],
        ['10.91.0.0/16', 'lost'],
      ],
    )
    assert.equal(impact([tunnel(state(), carried)], { through: null }).routes, null)
  })

  it('of another outer header leaves all routes, and says where the far end has to follow', () => {
    const through = new Map([['gre-a-1', [routeThrough('10.90.0.0/16'), routeThrough('10.91.0.0/16')]]])
    const [own, both] = [{ ttl: 9 }, { ttl: 9, okey: 9 }].map((fields) =>
      impact([tunnel(state(), state(fields))], { through }),
    )
    assert.deepEqual([own?.routes, both?.routes], [[], []])
    assert.equal(own?.summary, 'For a moment nothing passes through gre-a-1.')
    assert.equal(
      both?.summary,
      'For a moment nothing passes through gre-a-1. It lasts until the far end has the same change.',
    )
  })

  it('ends with a tunnel what goes through one that lies over it', () => {
    const inner = { tunnel_id: 2, interface_name: 'gre-a-2', state: 'Down' as const, underlay_device: 'gre-a-1' }
    const all = {
      ...facts(),
      rules: [factsOf(exampleRule({ ...SNAT }), 'gre-a-2')],
      tunnels: [...facts().tunnels, inner],
    }
    const { rules, tunnels } = impact([...CHANGES['a deletion']], all)
    assert.deepEqual(
      [
        rules.map(({ fate }) => fate),
        tunnels.map(({ interface_name, state, why }) => `${interface_name} ${state} ${why}`),
      ],
      [['end'], ['gre-a-1 Up changed', 'gre-a-2 Down underlay_through']],
    )
    assert.deepEqual(
      impact([...CHANGES['a recreate']], all).rules.map(({ fate }) => fate),
      ['survive'],
    )
  })

  it("knows the operator's own way by the routing table, and says where it does not", () => {
    const by = (device: string) => ({
      client_ip: '10.77.0.20',
      server_ip: '',
      route: fakeRoute('10.77.0.0/24', device),
      isRouteKnown: true,
    })
    const own = (changes: readonly HostChange[], client: ImpactFacts['client']) =>
      impact(changes, { client }).own_access
    for (const what of [
      'a deletion',
      'a recreate',
      'another outer header',
      'a restart',
      'taken down',
      'a smaller MTU',
    ] as const)
      assert.deepEqual(own(CHANGES[what], by('gre-a-1')).how, 'through_tunnel', what)
    assert.equal(own(CHANGES['one more address'], by('gre-a-1')).is_affected, false)
    const unknown = own(CHANGES['a deletion'], {
      client_ip: '198.51.100.7',
      server_ip: '',
      route: null,
      isRouteKnown: false,
    })
    assert.deepEqual([unknown.is_affected, unknown.is_known], [false, false])
  })
})
