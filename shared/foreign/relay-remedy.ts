// The command that lets relayed packets through another firewall, in its own syntax. The panel never runs it.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { ForeignChain, ForeignFound, ForeignManager } from './model.ts'
import { LEGACY } from './read-legacy.ts'
import type { End, Packet } from './relay-packet.ts'

/** Matches the foreign names that a command shows: those in which no shell sees more than a name. */
const PLAIN = /^[A-Za-z0-9_.-]+(?: [A-Za-z0-9_.-]+)?$/

export function remedyFor(packet: Packet, chain: ForeignChain, { chains }: ForeignFound): Message {
  const inTable = (manager: ForeignManager): boolean =>
    chains.some((one) => one.table === chain.table && one.manager === manager)
  const manager =
    (['firewalld', 'ufw', 'docker'] as const).find(
      (one) => inTable(one) && SPEAKS[one].some((hook) => hook === chain.hook),
    ) ?? chain.manager
  return isFollowing(packet, chain) ? FOLLOWING[manager](packet, chain) : HINTS[manager](packet, chain)
}

/** The directions for which each program has a command of its own that lets something through. */
const SPEAKS = { firewalld: ['forward', 'input'], ufw: ['forward', 'input'], docker: ['forward'] } as const

/**
 * What follows the beginning of a connection is let through by that, whatever it is, where a firewall filters. In other
 * places it is named.
 */
const isFollowing = ({ isNew }: Packet, { hook }: ForeignChain): boolean =>
  !isNew && hook !== null && ['forward', 'input', 'output'].includes(hook)

const established = (packet: Packet, chain: string, program = iptablesProgram(packet)): string =>
  `${program} -I ${chain} -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`
const plainly = ({ table, chain }: ForeignChain): boolean => PLAIN.test(table) && PLAIN.test(chain)

const FOLLOWING: Readonly<Record<ForeignManager, (packet: Packet, chain: ForeignChain) => Message>> = {
  docker: (packet) =>
    message('forwarding.let_through_docker', { what: 'replies', command: established(packet, 'DOCKER-USER') }),
  ufw: () => message('forwarding.replies_ufw'),
  firewalld: () => message('forwarding.replies_firewalld'),
  iptables: (packet, chain) =>
    PLAIN.test(chain.chain)
      ? message('forwarding.let_through_boot', {
          what: 'replies',
          command: established(packet, chain.chain, programOf(packet, chain)),
        })
      : FOLLOWING.nftables(packet, chain),
  nftables: (_, chain) =>
    plainly(chain)
      ? message('forwarding.let_through_file', {
          what: 'replies',
          command: `nft insert rule ${chain.table} ${chain.chain} ct state established,related accept`,
        })
      : message('forwarding.let_through_chain', { what: 'replies' }),
}

/** The end that the panel knows: the destination of what it relays, or the source of a reply. */
const endOf = ({ isReply, source, destination }: Packet): End => (isReply ? source : destination)
const whatOf = ({ isReply }: Packet): 'replies' | 'it' => (isReply ? 'replies' : 'it')

function formatPorts({ ports: { first, last } }: End, sign: string): string {
  return first === last ? `${first}` : `${first}${sign}${last}`
}
const familyName = ({ family }: Packet): string => (family === 6 ? 'ip6' : 'ip')
const iptablesProgram = ({ family }: Packet): string => (family === 6 ? 'ip6tables' : 'iptables')
/** In the tables of the variant that the chain is in; the plain name may stand for the other one. */
function programOf(packet: Packet, { table }: ForeignChain): string {
  const [, name = ''] = table.split(' ')
  const program = `${iptablesProgram(packet)}${table.endsWith(LEGACY) ? '-legacy' : ''}`
  return name === 'filter' ? program : `${program} -t ${name}`
}

function iptables(packet: Packet, chain: string, program = iptablesProgram(packet)): string {
  const end = endOf(packet)
  const [addressOption, portOption] = packet.isReply ? ['-s', '--sport'] : ['-d', '--dport']
  const where = end.text === null ? '' : ` ${addressOption} ${end.text}`
  return `${program} -I ${chain} -p ${packet.protocol}${where} ${portOption} ${formatPorts(end, ':')} -j ACCEPT`
}

function nft(packet: Packet, place: ForeignChain): Message {
  const what = whatOf(packet)
  if (!plainly(place)) return message('forwarding.let_through_chain', { what })
  const end = endOf(packet)
  const side = packet.isReply ? 's' : 'd'
  const address = end.text === null ? '' : `${familyName(packet)} ${side}addr ${end.text} `
  const match = `${address}${packet.protocol} ${side}port ${formatPorts(end, '-')}`
  return message('forwarding.let_through_file', {
    what,
    command: `nft insert rule ${place.table} ${place.chain} ${match} accept`,
  })
}

function richRule(packet: Packet): string {
  const { text } = packet.destination
  const destination = text === null ? '' : `destination address="${text}" `
  return `rule family="ipv${packet.family}" ${destination}port port="${formatPorts(packet.destination, '-')}" protocol="${packet.protocol}" accept`
}

const HINTS: Readonly<Record<ForeignManager, (packet: Packet, chain: ForeignChain) => Message>> = {
  docker: (packet, chain) =>
    chain.hook === 'forward'
      ? message('forwarding.let_through_docker', { what: 'it', command: iptables(packet, 'DOCKER-USER') })
      : nft(packet, chain),
  ufw: (packet) =>
    message('forwarding.let_through', {
      what: 'it',
      command: `ufw ${packet.isForHost ? '' : 'route '}allow proto ${packet.protocol} to ${packet.destination.text ?? 'any'} port ${formatPorts(packet.destination, ':')}`,
    }),
  firewalld: (packet, chain) =>
    chain.hook === 'forward' || chain.hook === 'input'
      ? message('forwarding.let_through_policy', { text: richRule(packet) })
      : nft(packet, chain),
  iptables: (packet, chain) =>
    PLAIN.test(chain.chain)
      ? message('forwarding.let_through_boot', {
          what: whatOf(packet),
          command: iptables(packet, chain.chain, programOf(packet, chain)),
        })
      : nft(packet, chain),
  nftables: nft,
}
