// A server B behind a tunnel from A, which relays the clients' packets to B as they are; B's own provider drops what B
// sends under any other address than its own. A veth named as a tunnel stands for the tunnel: this machine may have no
// GRE.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { KernelNamespace } from './kernel-namespace.ts'
import { callsOf, Peer, PEER } from './relay-rig.ts'
import type { PeerMethods, Talk } from './relay-peer.ts'

export const TUNNEL = 'gre-a-1'
export const CLIENT = { 4: '203.0.113.5', 6: '2001:db8:c::5' } as const
/** The address of A that clients know. */
export const FRONT = { 4: '203.0.113.1', 6: '2001:db8:c::1' } as const
/** The tunnel's own address at B. */
export const INNER = { 4: '172.17.1.2', 6: 'fd17::2' } as const
export const INNER_OF_A = { 4: '172.17.1.1', 6: 'fd17::1' } as const
/** The address of B that its provider knows. */
export const MAIN = { 4: '192.0.2.2', 6: '2001:db8:b::2' } as const
const PROVIDER = { 4: '192.0.2.1', 6: '2001:db8:b::1' } as const
export const CONTAINER = { 4: '172.20.0.2', 6: 'fd20::2' } as const
export const BRIDGE = { 4: '172.20.0.1', 6: 'fd20::1' } as const

export type Protocol = 'tcp' | 'udp'
export type Family = 4 | 6
export const FLOWS = (['tcp', 'udp'] as const).flatMap((protocol) =>
  ([4, 6] as const).map((family) => ({ protocol, family })),
)

type Calls = Peer['calls']

export class AnswersRig {
  readonly client = new Peer()
  readonly a = new Peer()
  readonly container = new Peer()
  readonly b: KernelNamespace
  programs!: Calls
  #programs: ChildProcess | null = null

  constructor(env: NodeJS.ProcessEnv = {}) {
    this.b = new KernelNamespace(env)
  }

  get kernel(): Kernel {
    return this.b.kernel
  }

  ip(...commands: readonly string[]): void {
    this.b.run('ip', ['-batch', '-'], `${commands.join('\n')}\n`)
  }

  nft(text: string): string {
    return this.b.run('nft', ['-f', '-'], text)
  }

  async open(): Promise<void> {
    await Promise.all([this.client, this.a, this.container].map(({ calls }) => calls.received()))
    await this.kernel.answers.found()
    this.#programs = spawn('nsenter', [`--net=${this.b.netns}`, process.execPath, PEER], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.programs = callsOf<PeerMethods>(this.#programs)
    for (const space of [this.client, this.a, this.container])
      space.run('sysctl', ['-qw', 'net.ipv6.conf.default.accept_dad=0', 'net.ipv4.conf.all.rp_filter=0'])
    this.b.run('sysctl', ['-qw', 'net.ipv6.conf.default.accept_dad=0', 'net.ipv4.conf.all.rp_filter=0'])
    this.#wire()
    // A client takes an answer from whom it wrote to alone.
    this.client.nft(
      `table inet client { chain in { type filter hook input priority 0;
      ip saddr != ${FRONT[4]} drop
      ip6 saddr != { ${FRONT[6]}, fe80::/10 } drop
    } }`.replaceAll('} }', '}\n}'),
    )
    this.a.nft(`table inet relay {
      chain in { type nat hook prerouting priority -100;
        iifname "cl0" fib daddr type local meta l4proto { tcp, udp } dnat ip to ${INNER[4]}
        iifname "cl0" fib daddr type local meta l4proto { tcp, udp } dnat ip6 to ${INNER[6]}
      }
      chain provider { type filter hook prerouting priority -300;
        iifname "wan0" ip saddr != ${MAIN[4]} drop
        iifname "wan0" ip6 saddr != { ${MAIN[6]}, fe80::/10 } drop
      }
    }`)
  }

  #wire(): void {
    const pid = ({ child }: Peer): number | undefined => child.pid
    for (const space of [this.a, this.container])
      space.run('sysctl', ['-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'])
    this.b.run('sysctl', ['-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'])
    this.a.batch(
      'link set lo up',
      `link add cl0 type veth peer name eth0 netns ${pid(this.client)}`,
      `addr add ${FRONT[4]}/24 dev cl0`,
      `addr add ${FRONT[6]}/64 dev cl0 nodad`,
      'link set cl0 up',
    )
    this.client.batch(
      'link set lo up',
      `addr add ${CLIENT[4]}/24 dev eth0`,
      `addr add ${CLIENT[6]}/64 dev eth0 nodad`,
      'link set eth0 up',
      `route add default via ${FRONT[4]}`,
      `route add default via ${FRONT[6]}`,
    )
    this.ip(
      'link set lo up',
      `link add wan type veth peer name wan0 netns ${pid(this.a)}`,
      `link add br0 type veth peer name eth0 netns ${pid(this.container)}`,
      `addr add ${MAIN[4]}/24 dev wan`,
      `addr add ${MAIN[6]}/64 dev wan nodad`,
      'link set wan up',
      `addr add ${BRIDGE[4]}/24 dev br0`,
      `addr add ${BRIDGE[6]}/64 dev br0 nodad`,
      'link set br0 up',
      `route add default via ${PROVIDER[4]}`,
      `route add default via ${PROVIDER[6]}`,
    )
    this.a.batch(`addr add ${PROVIDER[4]}/24 dev wan0`, `addr add ${PROVIDER[6]}/64 dev wan0 nodad`, 'link set wan0 up')
    this.container.batch(
      'link set lo up',
      `addr add ${CONTAINER[4]}/24 dev eth0`,
      `addr add ${CONTAINER[6]}/64 dev eth0 nodad`,
      'link set eth0 up',
      `route add default via ${BRIDGE[4]}`,
      `route add default via ${BRIDGE[6]}`,
    )
    this.makeTunnel()
  }

  /** The link of the tunnel at both ends; at A too, whose end goes with B's. */
  makeTunnel(): void {
    this.ip(`link add ${TUNNEL} type veth peer name tun0 netns ${this.a.child.pid}`)
    this.a.batch(
      `addr add ${INNER_OF_A[4]}/30 dev tun0`,
      `addr add ${INNER_OF_A[6]}/126 dev tun0 nodad`,
      'link set tun0 up',
    )
    this.ip(
      `addr add ${INNER[4]}/30 dev ${TUNNEL}`,
      `addr add ${INNER[6]}/126 dev ${TUNNEL} nodad`,
      `link set ${TUNNEL} up`,
    )
  }

  /** What a client is answered that connects to this port of A; null if it is not. */
  talk({ protocol, family }: { protocol: Protocol; family: Family }, port: number): Promise<Talk | null> {
    return this.client.calls.talk({ protocol, address: FRONT[family], port })
  }

  async close(): Promise<void> {
    this.#programs?.kill('SIGKILL')
    if (this.#programs && this.#programs.exitCode === null && this.#programs.signalCode === null)
      await once(this.#programs, 'exit')
    await Promise.all([this.client.close(), this.a.close(), this.container.close(), this.b.close()])
  }
}
