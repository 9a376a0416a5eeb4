// Whether the rules of other software surely drop the GRE packets of a tunnel, and what lets them through in that
// software's own words.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { ForeignChain, ForeignFound, ForeignManager } from './model.ts'
import { anywhere, endAt, isOfFamily, type Packet } from './relay-packet.ts'
import { Walker } from './walker.ts'

export interface GreBlock {
  readonly table: string
  readonly chain: string
  /** A rule, or the policy of the chain. */
  readonly text: string
  readonly direction: 'in' | 'out'
  readonly remedy: Message
}

interface Ends {
  readonly local_endpoint: string
  readonly remote_endpoint: string
}

/**
 * The first block found: of the packets that come from the far end, then of those that go to it. `device` has the local
 * endpoint; null where none is known.
 */
export function findGreBlock(ends: Ends, foreign: ForeignFound, device: string | null): GreBlock | null {
  if (!foreign.is_whole) return null
  const walker = new Walker(foreign)
  for (const probe of [incoming(ends, device), outgoing(ends, device)]) {
    const block = findBlock(probe, foreign, walker)
    if (block) {
      const { chain, blame } = block
      const remedy = remedyFor({ chain, direction: probe.direction, far: ends.remote_endpoint }, foreign)
      return { table: blame.table, chain: blame.chain, text: blame.text, direction: probe.direction, remedy }
    }
  }
  return null
}

/** A GRE packet of the tunnel, and the hooks that it passes. */
interface Probe {
  readonly direction: GreBlock['direction']
  readonly hooks: readonly ForeignChain['hook'][]
  readonly packet: Packet
}

/** It is not translated. What comes in is held to be of a connection that is there, what goes out to begin one. */
function grePacket({ local_endpoint, remote_endpoint }: Ends, isIncoming: boolean): Packet {
  const [local, remote] = [endAt(local_endpoint, { isLocal: true }), endAt(remote_endpoint)]
  return {
    stage: 'routed',
    to: null,
    isReply: isIncoming,
    isNew: !isIncoming,
    isForHost: true,
    isMarked: false,
    isSourceTranslated: false,
    family: remote_endpoint.includes(':') ? 6 : 4,
    protocol: 'gre',
    source: isIncoming ? remote : local,
    destination: isIncoming ? local : remote,
    listener: anywhere(),
    in_interface: null,
    out_interface: null,
  }
}

const incoming = (ends: Ends, device: string | null): Probe => ({
  direction: 'in',
  hooks: ['prerouting', 'input'],
  packet: { ...grePacket(ends, true), in_interface: device },
})

const outgoing = (ends: Ends, device: string | null): Probe => ({
  direction: 'out',
  hooks: ['output', 'postrouting'],
  packet: { ...grePacket(ends, false), out_interface: device },
})

/** The first chain through which the packet surely does not come, and the rule to blame. */
function findBlock({ hooks, packet }: Probe, foreign: ForeignFound, walker: Walker) {
  for (const chain of foreign.chains.filter((one) => hooks.includes(one.hook) && isOfFamily(one, packet))) {
    const { endings, blame } = walker.through(chain, packet)
    if (endings.size === 1 && endings.has('drop') && blame) return { chain, blame }
  }
  return null
}

interface Place {
  readonly chain: ForeignChain
  readonly direction: GreBlock['direction']
  readonly far: string
}

/** Matches the foreign names that a command shows: those in which no shell sees more than a name. */
const PLAIN = /^[A-Za-z0-9_.-]+$/

function remedyFor(place: Place, { chains }: ForeignFound): Message {
  const { chain, direction } = place
  // ufw and firewalld filter both directions behind base chains of the table that they share.
  const front = (['firewalld', 'ufw'] as const).find(
    (manager) =>
      chain.hook === FRONTS[direction] && chains.some((one) => one.table === chain.table && one.manager === manager),
  )
  return REMEDIES[front ?? chain.manager](place)
}

const FRONTS = { in: 'input', out: 'output' } as const

function nft({ chain: { table, chain }, direction, far }: Place): Message {
  const match = `${far.includes(':') ? 'ip6' : 'ip'} ${direction === 'in' ? 'saddr' : 'daddr'} ${far} meta l4proto gre`
  if (![...table.split(' '), chain].every((word) => PLAIN.test(word)))
    return message('forwarding.let_through_head', { match, chain })
  return message('forwarding.let_through_file', {
    what: 'gre',
    command: `nft insert rule ${table} ${chain} ${match} accept`,
  })
}

function iptables(place: Place): Message {
  const {
    chain: { chain },
    direction,
    far,
  } = place
  if (!PLAIN.test(chain)) return nft(place)
  const command = `${far.includes(':') ? 'ip6tables' : 'iptables'} -I ${chain} -p gre ${direction === 'in' ? '-s' : '-d'} ${far} -j ACCEPT`
  return message('forwarding.let_through_boot', { what: 'gre', command })
}

const letThrough = (command: string): Message => message('forwarding.let_through', { what: 'gre', command })

const REMEDIES: Readonly<Record<ForeignManager, (place: Place) => Message>> = {
  ufw: ({ direction, far }) =>
    letThrough(direction === 'in' ? `ufw allow proto gre from ${far}` : `ufw allow out proto gre to ${far}`),
  firewalld: ({ far }) =>
    letThrough(
      `firewall-cmd --permanent --add-rich-rule='rule family="${far.includes(':') ? 'ipv6' : 'ipv4'}" source address="${far}" protocol value="gre" accept' && firewall-cmd --reload`,
    ),
  docker: iptables,
  iptables,
  nftables: nft,
}
