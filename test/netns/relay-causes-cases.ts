// The causes by which a relay rule relays nothing: what happens to it on the host, and what mends it.
import type { CauseCode, Effect } from '@panel/shared/api/routes/cause-codes.ts'
import type { Place } from './relay-peer.ts'
import { CLIENT, RELAY, RELAY_FAR, SERVERS, type RelayRig } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
export const PORT = 1001
const ABSENT = '203.0.113.99'
const RELAY_SPARE = '10.8.0.1'
export const [TUNNEL, BEYOND] = ['gre-a-9', '198.51.100.50']
const [MASQUERADE, NO_NAT] = [10, 30]

/** A link of another kind has the name of the tunnel. */
export function tunnelTo(rig: RelayRig): void {
  relay(rig, ...`link add ${TUNNEL} type veth peer name spare9 netns ${rig.servers.child.pid}`.split(' '))
  rig.relay.batch(`addr add ${RELAY_SPARE}/24 dev ${TUNNEL}`, `link set ${TUNNEL} up`)
  rig.servers.batch('addr add 10.8.0.2/24 dev spare9', 'link set spare9 up')
}

export type Patch = (fields: object) => Promise<unknown>

export interface Case {
  readonly title: string
  readonly code: CauseCode
  /** "stops" if it is left out. */
  readonly effect?: Effect
  /** What the rule has in the place of the usual. */
  readonly rule?: object
  /** The place at which a client tries it, if one does; `isFar`: from the network of the servers. */
  readonly at?: Place
  readonly isFar?: true
  readonly before?: (rig: RelayRig) => void
  readonly happens: (rig: RelayRig, patch: Patch) => unknown
  /** Run as it is if it is a command, and what the cause names otherwise. */
  readonly mends: 'commands' | ((rig: RelayRig, patch: Patch) => unknown)
}

export const relay = (rig: RelayRig, ...words: string[]): string => rig.relay.run('ip', words)
export const setting = (rig: RelayRig, text: string): string => rig.relay.run('sysctl', ['-qw', text])
export const tcp = (address: string): Place => ({ protocol: 'tcp', address, port: PORT })

export const SHOWN_BY_PACKETS: readonly CauseCode[] = ['NO_REPLIES', 'REPLIES_LEAVE_ELSEWHERE', 'REVERSE_PATH']

export const CASES: readonly Case[] = [
  {
    title: 'the address that it listens on is taken from its interface',
    code: 'LISTENER_ABSENT',
    rule: { bind_address: ABSENT },
    before: (rig) => relay(rig, 'addr', 'add', `${ABSENT}/32`, 'dev', 'near0'),
    happens: (rig) => relay(rig, 'addr', 'del', `${ABSENT}/32`, 'dev', 'near0'),
    mends: (rig) => relay(rig, 'addr', 'add', `${ABSENT}/32`, 'dev', 'near0'),
  },
  {
    title: 'the interface that it is bound to is renamed',
    code: 'LISTENER_ABSENT',
    rule: { bind_interface: 'spare0' },
    before: (rig) => relay(rig, 'link', 'add', 'spare0', 'type', 'veth', 'peer', 'name', 'spare9'),
    happens: (rig) => relay(rig, 'link', 'set', 'spare0', 'name', 'spare1'),
    mends: (rig) => relay(rig, 'link', 'set', 'spare1', 'name', 'spare0'),
  },
  {
    title: 'the interface that it is bound to becomes the port of a bridge',
    code: 'LISTENER_ABSENT',
    rule: { bind_interface: 'spare0' },
    before: (rig) => rig.relay.batch('link add spare0 type veth peer name spare9', 'link add br7 type bridge'),
    happens: (rig) => relay(rig, 'link', 'set', 'spare0', 'master', 'br7'),
    mends: (rig) => relay(rig, 'link', 'set', 'spare0', 'nomaster'),
  },
  {
    title: 'forwarding is turned off on the interface by which its packets come in',
    code: 'FORWARDING_OFF',
    at: tcp(RELAY),
    happens: (rig) => setting(rig, 'net.ipv4.conf.near0.forwarding=0'),
    mends: 'commands',
  },
  {
    title: 'forwarding is turned off on the interface by which the replies come in',
    code: 'FORWARDING_OFF',
    at: tcp(RELAY),
    happens: (rig) => setting(rig, 'net.ipv4.conf.far0.forwarding=0'),
    mends: 'commands',
  },
  {
    title: 'the route to its destination becomes unreachable',
    code: 'NO_ROUTE',
    at: tcp(RELAY),
    happens: (rig) => relay(rig, 'route', 'add', 'unreachable', `${ONE}/32`),
    mends: (rig) => relay(rig, 'route', 'del', 'unreachable', `${ONE}/32`),
  },
  {
    title: 'the destination has no route back to the clients, and the rule does not masquerade',
    code: 'NO_REPLIES',
    rule: { nat_mode_id: NO_NAT },
    at: tcp(RELAY),
    happens: (rig) => rig.servers.run('ip', ['route', 'del', 'default']),
    mends: (rig) => rig.servers.run('ip', ['route', 'add', 'default', 'via', RELAY_FAR]),
  },
  {
    title: 'the destination filters what comes from this server',
    code: 'NO_REPLIES',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.servers.nft(
        'table inet theirs { chain input { type filter hook input priority 0; tcp dport 80 drop\n }\n}\n',
      ),
    mends: (rig) => rig.servers.run('nft', ['delete', 'table', 'inet', 'theirs']),
  },
  {
    title: 'the replies to its clients leave by another interface than their packets came in by',
    code: 'REPLIES_LEAVE_ELSEWHERE',
    at: tcp(RELAY),
    happens: (rig) => relay(rig, 'route', 'add', `${CLIENT}/32`, 'via', TWO),
    mends: (rig) => relay(rig, 'route', 'del', `${CLIENT}/32`),
  },
  {
    title: 'a client in the network of the destination gets its replies past this server',
    code: 'NO_REPLIES',
    rule: { bind_address: RELAY_FAR },
    at: tcp(RELAY_FAR),
    isFar: true,
    happens: (_, patch) => patch({ nat_mode_id: NO_NAT }),
    mends: (_, patch) => patch({ nat_mode_id: MASQUERADE }),
  },
  {
    title: 'the replies come in by an interface whose reverse path filter drops them',
    code: 'REVERSE_PATH',
    rule: { nat_mode_id: NO_NAT },
    at: tcp(RELAY),
    before: (rig) => {
      relay(rig, ...`link add spare0 type veth peer name spare9 netns ${rig.servers.child.pid}`.split(' '))
      rig.relay.batch(`addr add ${RELAY_SPARE}/24 dev spare0`, 'link set spare0 up')
      rig.servers.batch('addr add 10.8.0.2/24 dev spare9', 'link set spare9 up')
      rig.servers.run('ip', ['route', 'add', `${CLIENT}/32`, 'via', RELAY_SPARE])
    },
    happens: (rig) => setting(rig, 'net.ipv4.conf.spare0.rp_filter=1'),
    mends: 'commands',
  },
  {
    title: 'the reverse path filter drops the packets of its clients',
    code: 'REVERSE_PATH',
    rule: { bind_interface: 'near0', allowed_sources: [{ cidr: `${CLIENT}/32` }] },
    at: tcp(RELAY),
    before: (rig) => setting(rig, 'net.ipv4.conf.near0.rp_filter=1'),
    happens: (rig) => relay(rig, 'route', 'add', `${CLIENT}/32`, 'via', TWO),
    mends: (rig) => relay(rig, 'route', 'del', `${CLIENT}/32`),
  },
  {
    title: 'the reverse path filter drops the clients beyond the networks of the interface',
    code: 'REVERSE_PATH',
    effect: 'may_stop',
    rule: { bind_address: ABSENT },
    at: tcp(ABSENT),
    before: (rig) => {
      relay(rig, 'addr', 'add', `${ABSENT}/32`, 'dev', 'near0')
      relay(rig, 'route', 'add', 'default', 'via', CLIENT)
      rig.client.run('ip', ['addr', 'add', '198.51.100.9/32', 'dev', 'lo'])
      rig.client.run('ip', ['route', 'add', ABSENT, 'via', RELAY, 'src', '198.51.100.9'])
      setting(rig, 'net.ipv4.conf.near0.rp_filter=1')
    },
    happens: (rig) => relay(rig, 'route', 'replace', 'default', 'via', TWO),
    mends: (rig) => relay(rig, 'route', 'replace', 'default', 'via', CLIENT),
  },
  {
    title: 'the route to its destination no longer leads into the tunnel that it names',
    code: 'ROUTE_CHANGED',
    effect: 'may_stop',
    rule: { destination_address: BEYOND, tunnel_id: 1 },
    at: tcp(RELAY),
    before: (rig) => {
      tunnelTo(rig)
      relay(rig, 'route', 'add', 'default', 'via', CLIENT)
      relay(rig, 'route', 'add', `${BEYOND}/32`, 'dev', TUNNEL)
    },
    happens: (rig) => relay(rig, 'route', 'del', `${BEYOND}/32`),
    mends: 'commands',
  },
  {
    title: 'a rule of other software keeps its port from being tracked',
    code: 'NOT_TRACKED',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.relay.nft(
        `table ip theirs { chain pre { type filter hook prerouting priority raw; tcp dport ${PORT} notrack\n }\n}\n`,
      ),
    mends: 'commands',
  },
  {
    title: 'a chain against bogus sources drops the replies of a private destination',
    code: 'FOREIGN_DROP',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.relay.nft(
        'table ip theirs { chain pre { type filter hook prerouting priority mangle; ip saddr 10.9.0.0/16 iifname != "lo" drop\n }\n}\n',
      ),
    mends: 'commands',
  },
  {
    title: 'a hand-written firewall lets only established connections be forwarded',
    code: 'FOREIGN_DROP',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.relay.nft(
        'table inet theirs { chain forward { type filter hook forward priority filter; policy drop; ct state vmap { established : accept, related : accept, invalid : drop }\n }\n}\n',
      ),
    mends: 'commands',
  },
  {
    title: 'a chain of other software drops what is forwarded',
    code: 'FOREIGN_DROP',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.relay.nft('table inet theirs { chain forward { type filter hook forward priority 0; policy drop;\n }\n}\n'),
    mends: 'commands',
  },
]

/** What the cases leave in the relay's namespace, whether they pass or not. */
export const CLEANING = [
  ...['inet theirs', 'ip theirs'].map((table) => `nft delete table ${table}`),
  `ip addr del ${ABSENT}/32 dev near0`,
  ...['spare0', 'spare1', 'br7', TUNNEL].map((name) => `ip link del ${name}`),
  ...[`${CLIENT}/32`, 'default'].map((route) => `ip route del ${route}`),
  'ip rule del iif near0 lookup 100',
  'sysctl -qw net.ipv4.conf.near0.rp_filter=0',
]
