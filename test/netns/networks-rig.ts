// The server B of the rig of answers, behind two tunnels from A: clients of A are led to an address of B's own that is on
// no tunnel, and what lies behind A is a network of B.
import { executeNetworkStep } from '@panel/root-helper/nouns/network/execute.ts'
import { canonicalNetworks, networksOrNull } from '@panel/shared/network/canonical.ts'
import type { NetworkState, NetworkStates } from '@panel/shared/network/model.ts'
import { planNetworks } from '@panel/shared/network/plan.ts'
import { AnswersRig, FLOWS, FRONT, INNER_OF_A, TUNNEL, type Family, type Protocol } from './answers-rig.ts'
import type { Talk } from './relay-peer.ts'

export const TUNNELS = [TUNNEL, 'gre-a-2'] as const
/** The address of B that no tunnel has. */
export const OWN = { 4: '10.66.0.1', 6: 'fd66::1' } as const
const SECOND = { 4: ['172.17.2.1', '172.17.2.2'], 6: ['fd17:2::1', 'fd17:2::2'] } as const
/** What lies behind A, with an address of A in it. */
export const BEHIND = { 4: '10.50.0.0/16', 6: 'fd50::/48' } as const
export const BEHIND_A = { 4: '10.50.0.1', 6: 'fd50::1' } as const
/** Ports that A leads to B's own address. */
const LED = '3000-3999'

export type Weights = readonly [number, number]

export class NetworksRig extends AnswersRig {
  override async open(): Promise<void> {
    await super.open()
    this.makeSecond()
    this.a.batch(`addr add ${BEHIND_A[4]}/32 dev lo`, `addr add ${BEHIND_A[6]}/128 dev lo`)
    this.a.nft(`table inet led {
      chain in { type nat hook prerouting priority -110;
        iifname "cl0" meta l4proto { tcp, udp } th dport ${LED} dnat ip to ${OWN[4]}
        iifname "cl0" meta l4proto { tcp, udp } th dport ${LED} dnat ip6 to ${OWN[6]}
      }
      chain cut { type filter hook prerouting priority -290; }
      chain cut_too { type filter hook postrouting priority 290; }
      counter by_tun0 { }
      counter by_tun1 { }
      chain count { type filter hook prerouting priority -280;
        iifname "tun0" counter name by_tun0
        iifname "tun1" counter name by_tun1
      }
    }`)
    for (const space of [this.a, this.b])
      space.run('sysctl', ['-qw', 'net.ipv4.fib_multipath_hash_policy=1', 'net.ipv6.fib_multipath_hash_policy=1'])
    this.leadFromA([1, 1])
    for (const { protocol, family } of FLOWS) {
      const address = family === 4 ? '0.0.0.0' : '::'
      await this.programs.listen({ protocol, address, port: portOf(3001, family) })
    }
  }

  makeSecond(): void {
    this.ip(`link add ${TUNNELS[1]} type veth peer name tun1 netns ${this.a.child.pid}`)
    this.a.batch(
      `addr add ${SECOND[4][0]}/30 dev tun1`,
      `addr add ${SECOND[6][0]}/126 dev tun1 nodad`,
      'link set tun1 up',
    )
    this.ip(
      `addr add ${SECOND[4][1]}/30 dev ${TUNNELS[1]}`,
      `addr add ${SECOND[6][1]}/126 dev ${TUNNELS[1]} nodad`,
      `link set ${TUNNELS[1]} up`,
    )
  }

  /** The paths of A to B's own address; what another kind of server would do, or its panel. */
  leadFromA(weights: Weights): void {
    for (const [family, first, second] of [
      [4, `${INNER_OF_A[4].replace(/1$/, '2')}`, SECOND[4][1]],
      [6, `${INNER_OF_A[6].replace(/1$/, '2')}`, SECOND[6][1]],
    ] as const) {
      const hops = [
        [first, 'tun0', weights[0]],
        [second, 'tun1', weights[1]],
      ].filter(([, , weight]) => weight !== 0)
      const words = hops.flatMap(([via, dev, weight]) => [
        'nexthop',
        'via',
        `${via}`,
        'dev',
        `${dev}`,
        'weight',
        `${weight}`,
      ])
      this.a.run('ip', [`-${family}`, 'route', 'replace', OWN[family], ...words])
    }
  }

  /** The network of each family, with both tunnels as its paths. */
  wanted(weights: Weights, fields: Partial<NetworkState> = {}): NetworkStates {
    return [4, 6].map((family) => ({
      destination: BEHIND[family as Family],
      metric: 50,
      source: null,
      paths: TUNNELS.map((interface_name, at) => ({ interface_name, weight: weights[at] ?? 0 })),
      own_addresses: [OWN[family as Family]],
      lacks: [],
      ...fields,
    }))
  }

  /** Takes B from what it holds there, by the steps of a plan. */
  async take(wanted: NetworkStates | null): Promise<void> {
    for (const step of planNetworks(await this.found(), canonicalNetworks(wanted)))
      await executeNetworkStep(this.kernel, step)
    await this.kernel.answers.follow()
  }

  async found(): Promise<NetworkStates | null> {
    const found = await this.kernel.networks.found([])
    return canonicalNetworks(networksOrNull(found.map(({ state }) => state)))
  }

  /** Nothing passes by the first tunnel any more, and nobody says so. */
  cutFirst(): void {
    this.a.nft('add rule inet led cut iifname "tun0" drop\nadd rule inet led cut_too oifname "tun0" drop\n')
  }

  mendFirst(): void {
    this.a.nft('flush chain inet led cut\nflush chain inet led cut_too\n')
  }

  /** Counts the packets that came to A by each of the tunnels since the last count. */
  arrived(): [number, number] {
    const { nftables } = JSON.parse(this.a.run('nft', ['-j', 'reset', 'counters', 'table', 'inet', 'led'])) as {
      nftables: { counter?: { name: string; packets: number } }[]
    }
    const by = (name: string): number => nftables.find(({ counter }) => counter?.name === name)?.counter?.packets ?? 0
    return [by('by_tun0'), by('by_tun1')]
  }

  /** What a client is answered that is led to B's own address. */
  ask(flow: { protocol: Protocol; family: Family }): Promise<Talk | null> {
    return this.client.calls.talk({
      protocol: flow.protocol,
      address: FRONT[flow.family],
      port: portOf(3001, flow.family),
    })
  }
}

export const portOf = (port: number, family: Family): number => port + (family === 6 ? 100 : 0)
