// The command that lets relayed packets through another firewall, in its own syntax. The panel never runs it.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { ForeignChain, ForeignFound, ForeignManager } from './model.ts'
import { LEGACY } from './read-legacy.ts'
import type { Packet } from './relay-packet.ts'

/** Matches the foreign names that a command shows: those in which no shell sees more than a name. */
const PLAIN = /^[A-Za-z0-9_.-]+(?: [A-Za-z0-9_.-]+)?$/

export function remedyFor(packet: Packet, chain: ForeignChain, { chains }: ForeignFound): Message {
  const inTable = (manager: ForeignManager): boolean =>
    chains.some((one) => one.table === chain.table && one.manager === manager)
  const manager =
    (['firewalld', 'ufw', 'docker'] as const).find(
      (one) => inTable(one) && SPEAKS[one].some((hook) => hook === chain.hook),
    ) ?? chain.manager
  return packet.isReply ? REPLIES[manager](packet, chain) : HINTS[manager](packet, chain)
}

/** The directions for which each program has a command of its own that lets something through. */
const SPEAKS = { firewalld: ['forward', 'input'], ufw: ['forward', 'input'], docker: ['forward'] } as const

const established = (packet: Packet, chain: string, program = iptablesProgram(packet)): string =>
  `${program} -I ${chain} -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`
const plainly = ({ table, chain }: ForeignChain): boolean => PLAIN.test(table) && PLAIN.test(chain)

/** Replies are let through by what they reply to, whatever they are. */
const REPLIES: Readonly<Record<ForeignManager, (packet: Packet, chain: ForeignChain) => Message>> = {
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
      : REPLIES.nftables(packet, chain),
  nftables: (_, chain) =>
    plainly(chain)
      ? message('forwarding.let_through_file', {
          what: 'replies',
          command: `nft insert rule ${chain.table} ${chain.chain} ct state established,related accept`,
        })
      : message('forwarding.let_through_chain', { what: 'replies' }),
}

const formatPorts = ({ first, last }: Packet, sign: string): string =>
  first === last ? `${first}` : `${first}${sign}${last}`
const familyName = ({ family }: Packet): string => (family === 6 ? 'ip6' : 'ip')
const iptablesProgram = ({ family }: Packet): string => (family === 6 ? 'ip6tables' : 'iptables')
/** In the tables of the variant that the chain is in; the plain name may stand for the other one. */
const programOf = (packet: Packet, { table }: ForeignChain): string =>
  `${iptablesProgram(packet)}${table.endsWith(LEGACY) ? '-legacy' : ''}`
const iptables = (packet: Packet, chain: string, program = iptablesProgram(packet)): string =>
  `${program} -I ${chain} -p ${packet.protocol}${packet.address === null ? '' : ` -d ${packet.address}`} --dport ${formatPorts(packet, ':')} -j ACCEPT`

function nft(packet: Packet, place: ForeignChain): Message {
  const { table, chain } = place
  if (!plainly(place)) return message('forwarding.let_through_chain', { what: 'it' })
  const daddr = packet.address === null ? '' : `${familyName(packet)} daddr ${packet.address} `
  const command = `nft insert rule ${table} ${chain} ${daddr}${packet.protocol} dport ${formatPorts(packet, '-')} accept`
  return message('forwarding.let_through_file', { what: 'it', command })
}

const richRule = (packet: Packet): string =>
  `rule family="ipv${packet.family}" ${packet.address === null ? '' : `destination address="${packet.address}" `}port port="${formatPorts(packet, '-')}" protocol="${packet.protocol}" accept`

const HINTS: Readonly<Record<ForeignManager, (packet: Packet, chain: ForeignChain) => Message>> = {
  docker: (packet, chain) =>
    chain.hook === 'forward'
      ? message('forwarding.let_through_docker', { what: 'it', command: iptables(packet, 'DOCKER-USER') })
      : nft(packet, chain),
  ufw: (packet) =>
    message('forwarding.let_through', {
      what: 'it',
      command: `ufw ${packet.isForHost ? '' : 'route '}allow proto ${packet.protocol} to ${packet.address ?? 'any'} port ${formatPorts(packet, ':')}`,
    }),
  firewalld: (packet) => message('forwarding.let_through_policy', { text: richRule(packet) }),
  iptables: (packet, chain) =>
    PLAIN.test(chain.chain) && packet.isTranslated
      ? message('forwarding.let_through_boot', {
          what: 'it',
          command: iptables(packet, chain.chain, programOf(packet, chain)),
        })
      : nft(packet, chain),
  nftables: nft,
}
