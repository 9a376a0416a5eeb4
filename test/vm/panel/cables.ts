// A client before the machine and a far end behind it, in namespaces of their own: the relay is the machine itself, since
// boot knows nothing of namespaces.
import type { Lab } from '../lab/index.ts'

export const [RELAY, NEAR_END, FAR_END] = ['198.51.100.1', '192.0.2.1', '192.0.2.2']

const HERE = [
  ...['netns add client', 'netns add far'],
  'link add to-client type veth peer name eth0 netns client',
  'link add to-far type veth peer name eth0 netns far',
  ...[`address add ${RELAY}/24 dev to-client`, `address add ${NEAR_END}/24 dev to-far`],
  ...['link set to-client up', 'link set to-far up'],
]
const endOf = (address: string): string[] => [
  ...['link set lo up', `address add ${address}/24 dev eth0`, 'link set eth0 up'],
]

/** Commands of ip, after those that join the three. */
interface More {
  readonly here?: readonly string[]
  readonly client?: readonly string[]
  readonly far?: readonly string[]
}

export async function layCables(lab: Lab, { here = [], client = [], far = [] }: More): Promise<void> {
  await ipBatch(lab, [], [...HERE, ...here])
  await Promise.all([
    ipBatch(lab, ['-netns', 'client'], [...endOf('198.51.100.2'), ...client]),
    ipBatch(lab, ['-netns', 'far'], [...endOf(FAR_END), ...far]),
  ])
}

function ipBatch(lab: Lab, where: readonly string[], commands: readonly string[]): Promise<string> {
  return lab.run('ip', [...where, '-batch', '-'], { stdin: `${commands.join('\n')}\n` })
}

/** The far end of a tunnel of the panel, which has the same key in both directions. */
export function farTunnel(name: string, kind: string, key: number, address: string): string[] {
  return [
    `link add ${name} type ${kind} local ${FAR_END} remote ${NEAR_END} key ${key}`,
    ...[`address add ${address} dev ${name}`, `link set ${name} up`],
  ]
}
