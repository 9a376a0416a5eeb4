// Two servers in one machine: network namespaces with a cable between them and a way in for the host's HTTP.
import type { Commands as Machine, Open } from './commands.ts'
import { Commands } from './commands.ts'

/** The port of a panel inside its server. */
const panelPort = 8480

interface Address {
  readonly name: 'a' | 'b'
  readonly address: string
  readonly address6: string
  /** The machine's port that leads to this server's panel. */
  readonly port: number
}

const addresses: readonly [Address, Address] = [
  { name: 'a', address: '192.0.2.1', address6: '2001:db8::1', port: 8481 },
  { name: 'b', address: '192.0.2.2', address6: '2001:db8::2', port: 8482 },
]

/** A server. Its commands run in its namespace; its one network card is `eth0`, like on a rented server. */
export class Server extends Commands {
  readonly name: string
  readonly address: string
  readonly address6: string
  /** The address at which the host reaches what listens on 127.0.0.1:8480 in this server. */
  readonly url: string

  constructor({ name, address, address6 }: Address, open: Open, url: string) {
    super((request) => open({ ...request, argv: ['ip', 'netns', 'exec', name, ...request.argv] }))
    this.name = name
    this.address = address
    this.address6 = address6
    this.url = url
  }
}

interface Host extends Machine {
  url(port: number): Promise<string>
}

export async function twoServers(lab: Host, open: Open): Promise<{ readonly a: Server; readonly b: Server }> {
  await lab.run('ip', ['-batch', '-'], { stdin: 'netns add a\nnetns add b\n' })
  await lab.run('ip', ['-netns', 'a', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', 'b'])
  const [a, b] = await Promise.all(addresses.map(async (each) => server(each, lab, open)))
  if (a === undefined || b === undefined) throw new Error('unreachable: there are two addresses')
  return { a, b }
}

async function server(each: Address, lab: Host, open: Open): Promise<Server> {
  const made = new Server(each, open, await lab.url(each.port))
  await lab.run('ip', ['-netns', each.name, '-batch', '-'], { stdin: wiring(each) })
  await letIn(each, lab)
  return made
}

// Duplicate address detection would keep the IPv6 address from use for a second.
function wiring({ address, address6 }: Address): string {
  return [
    'link set lo up',
    `address add ${address}/30 dev eth0`,
    `address add ${address6}/64 dev eth0 nodad`,
    'link set eth0 up',
    '',
  ].join('\n')
}

// systemd listens in the machine's own network and hands each connection to one relay process inside the namespace:
// the server keeps no card, address or rule that a real one would not have, and no request costs a process.
async function letIn({ name, port }: Address, lab: Machine): Promise<void> {
  const unit = `lab-way-in-${name}`
  await lab.run('systemd-run', [
    ...['--quiet', `--unit=${unit}`, `--socket-property=ListenStream=${String(port)}`],
    ...[`--property=NetworkNamespacePath=/run/netns/${name}`],
    ...['/usr/lib/systemd/systemd-socket-proxyd', '--connections-max=1024', `127.0.0.1:${String(panelPort)}`],
  ])
}
