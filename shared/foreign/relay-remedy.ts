// The command that lets relayed packets through another firewall, in its own syntax. The panel never runs it.
import type { ForeignChain, ForeignFound, ForeignManager } from './model.ts'
import type { Packet } from './relay-packet.ts'

/** Names of others are shown in a command only where no shell would see more in them than a name. */
const PLAIN = /^[A-Za-z0-9_.-]+(?: [A-Za-z0-9_.-]+)?$/

export function remedyFor(packet: Packet, chain: ForeignChain, { chains }: ForeignFound): string {
  const inTable = (manager: ForeignManager): boolean =>
    chains.some((one) => one.table === chain.table && one.manager === manager)
  const manager =
    (['firewalld', 'ufw', 'docker'] as const).find(
      (one) => inTable(one) && SPEAKS[one].some((hook) => hook === chain.hook),
    ) ?? chain.manager
  return packet.isReply ? REPLIES[manager](packet, chain) : HINTS[manager](packet, chain)
}

/** Where each has words of its own to let something through. */
const SPEAKS = { firewalld: ['forward', 'input'], ufw: ['forward', 'input'], docker: ['forward'] } as const

const established = (packet: Packet, chain: string): string =>
  `${iptablesProgram(packet)} -I ${chain} -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`
const plainly = ({ table, chain }: ForeignChain): boolean => PLAIN.test(table) && PLAIN.test(chain)

/** Replies are let through by what they reply to, whatever they are. */
const REPLIES: Readonly<Record<ForeignManager, (packet: Packet, chain: ForeignChain) => string>> = {
  docker: (packet) =>
    `Let replies through in the chain that Docker keeps for this: ${established(packet, 'DOCKER-USER')}.`,
  ufw: () =>
    'Let replies through: accept established connections in ufw-before-forward (/etc/ufw/before.rules), as ufw does unless told otherwise.',
  firewalld: () =>
    'Let replies through: firewalld accepts established connections unless told otherwise, so reload it (firewall-cmd --reload).',
  iptables: (packet, chain) =>
    PLAIN.test(chain.chain)
      ? `Let replies through: ${established(packet, chain.chain)} (and in what loads these rules at boot).`
      : REPLIES.nftables(packet, chain),
  nftables: (_, chain) =>
    plainly(chain)
      ? `Let replies through: nft insert rule ${chain.table} ${chain.chain} ct state established,related accept (and in the file that loads this table).`
      : 'Let established connections through in the chain named above.',
}

const formatPorts = ({ first, last }: Packet, sign: string): string =>
  first === last ? `${first}` : `${first}${sign}${last}`
const familyName = ({ family }: Packet): string => (family === 6 ? 'ip6' : 'ip')
const iptablesProgram = ({ family }: Packet): string => (family === 6 ? 'ip6tables' : 'iptables')
const iptables = (packet: Packet, chain: string): string =>
  `${iptablesProgram(packet)} -I ${chain} -p ${packet.protocol}${packet.address === null ? '' : ` -d ${packet.address}`} --dport ${formatPorts(packet, ':')} -j ACCEPT`

function nft(packet: Packet, place: ForeignChain): string {
  const { table, chain } = place
  if (!plainly(place)) return 'Let it through in the chain named above.'
  const daddr = packet.address === null ? '' : `${familyName(packet)} daddr ${packet.address} `
  return `Let it through: nft insert rule ${table} ${chain} ${daddr}${packet.protocol} dport ${formatPorts(packet, '-')} accept (and in the file that loads this table).`
}

const HINTS: Readonly<Record<ForeignManager, (packet: Packet, chain: ForeignChain) => string>> = {
  docker: (packet, chain) =>
    chain.hook === 'forward'
      ? `Let it through in the chain that Docker keeps for this: ${iptables(packet, 'DOCKER-USER')}.`
      : nft(packet, chain),
  ufw: (packet) =>
    packet.isForHost
      ? `Let it through: ufw allow proto ${packet.protocol} to ${packet.address ?? 'any'} port ${formatPorts(packet, ':')}.`
      : `Let it through: ufw route allow proto ${packet.protocol} to ${packet.address ?? 'any'} port ${formatPorts(packet, ':')}.`,
  firewalld: (packet) =>
    `Let it through with a policy of firewalld (firewall-cmd --permanent --new-policy, with a rich rule that accepts ${packet.protocol} port ${formatPorts(packet, '-')}${packet.address === null ? '' : ` of ${packet.address}`}), then firewall-cmd --reload.`,
  iptables: (packet, chain) =>
    PLAIN.test(chain.chain) && packet.isTranslated
      ? `Let it through: ${iptables(packet, chain.chain)} (and in what loads these rules at boot).`
      : nft(packet, chain),
  nftables: nft,
}
