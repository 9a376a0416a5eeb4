// A client, a server, and between them as many relays as there are layouts to compare, each in a network of its own: so
// rounds can go from one to the next without anything being loaded again, and no layout costs the packets of another.
import { Namespace } from '../host/namespace.ts'
import type { Between } from './rules.ts'

/**
 * Connections end by a reset here; without this, what is left of them would fill the table of connections that all
 * networks of the machine share.
 */
const SYSCTLS = [
  'net/netfilter/nf_conntrack_tcp_timeout_close',
  'net/netfilter/nf_conntrack_tcp_timeout_time_wait',
].map((name) => `echo 1 > /proc/sys/${name}`)

export class Relay implements Between {
  readonly network: Namespace
  /** The number in the names of its links at the client and at the server. */
  readonly number: number
  readonly address: string
  readonly server: string

  constructor(network: Namespace, number: number) {
    this.network = network
    this.number = number
    this.address = `10.1.${number}.1`
    this.server = `10.9.${number}.2`
  }

  async nft(text: string): Promise<void> {
    await this.network.run(['nft', '-f', '-'], text)
  }

  close(): Promise<void> {
    return this.network.close()
  }
}

export class Stage {
  readonly client: Namespace
  readonly server: Namespace
  readonly #relays: Relay[] = []

  private constructor(client: Namespace, server: Namespace) {
    this.client = client
    this.server = server
  }

  static async open(): Promise<Stage> {
    return new Stage(await Namespace.open(), await Namespace.open())
  }

  async relay(): Promise<Relay> {
    const number = this.#relays.length + 1
    const relay = new Relay(await Namespace.open(), number)
    this.#relays.push(relay)
    const [near, far] = [`10.1.${number}`, `10.9.${number}`]
    await batch(
      relay.network,
      'link set lo up',
      ...this.#link(number, 'near', near, this.client),
      ...this.#link(number, 'far', far, this.server),
    )
    // Routes both ways, which only plain routing needs: who relays shows the server an address of its own.
    await batch(
      this.client,
      'link set lo up',
      `address add ${near}.2/24 dev relay${number}`,
      `link set relay${number} up`,
      `route add ${far}.0/24 via ${near}.1`,
    )
    await batch(
      this.server,
      'link set lo up',
      `address add ${far}.2/24 dev relay${number}`,
      `link set relay${number} up`,
      `route add ${near}.0/24 via ${far}.1`,
    )
    await relay.network.run(['sh', '-c', [...SYSCTLS, 'echo 1 > /proc/sys/net/ipv4/ip_forward'].join('; ')])
    return relay
  }

  #link(number: number, name: string, subnet: string, end: Namespace): string[] {
    return [
      `link add ${name} type veth peer name relay${number} netns ${end.pid}`,
      `address add ${subnet}.1/24 dev ${name}`,
      `link set ${name} up`,
    ]
  }

  async close(): Promise<void> {
    for (const relay of this.#relays) await relay.close()
    await this.client.close()
    await this.server.close()
  }
}

const batch = (network: Namespace, ...commands: readonly string[]): Promise<string> =>
  network.run(['ip', '-batch', '-'], `${commands.join('\n')}\n`)
