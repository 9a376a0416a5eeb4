// Reads the kernel's tables of sockets, as /proc/net shows them (get_tcp4_sock and udp4_format_sock in net/ipv4, and
// their IPv6 kin).
import { formatIp, type Ip } from '@panel/shared/address/ip.ts'

export interface BoundSocket {
  readonly protocol: 'tcp' | 'udp'
  readonly address: string
  readonly port: number
  /** The uid of the process that opened it. */
  readonly uid: number
  readonly inode: string
}

/**
 * States in the column `st`: a TCP socket that listens, and a UDP socket without a far end (include/net/tcp_states.h).
 */
const WAITING = { tcp: '0A', udp: '07' } as const

const CONNECTED = '01'

/** The sockets that wait for anybody; lines that cannot be read are left out. */
export function waitingSockets(protocol: BoundSocket['protocol'], table: string): BoundSocket[] {
  return rowsOf(table).flatMap(({ local, remote, state, uid, inode }) => {
    const end = parseEnd(local)
    if (state !== WAITING[protocol] || !end || !(end.port > 0) || !/^0+:0+$/.test(remote)) return []
    return [{ protocol, ...end, uid, inode }]
  })
}

/** The far ends of the TCP connections to the given ports of this host. */
export function connectedTo(ports: ReadonlySet<number>, table: string): { address: string; came_to: string }[] {
  return rowsOf(table).flatMap(({ local, remote, state }) => {
    const [own, far] = [parseEnd(local), parseEnd(remote)]
    return state === CONNECTED && own && far && ports.has(own.port)
      ? [{ address: far.address, came_to: own.address }]
      : []
  })
}

const rowsOf = (table: string) =>
  table
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, local = '', remote = '', state = '', , , , uid = '', , inode = ''] = line.trim().split(/\s+/)
      return { local, remote, state, uid: Number(uid), inode }
    })

function parseEnd(text: string): { address: string; port: number } | null {
  const [hexAddress = '', hexPort = ''] = text.split(':')
  const address = parseAddress(hexAddress)
  return address === null ? null : { address, port: Number.parseInt(hexPort, 16) }
}

/**
 * Words of 32 bits in the byte order of the host, which is little-endian on every supported platform. An IPv4-mapped
 * address is shown as IPv4.
 */
function parseAddress(hex: string): string | null {
  if (!/^([0-9A-F]{8}|[0-9A-F]{32})$/.test(hex)) return null
  const words = hex.match(/.{8}/g) ?? []
  const value = BigInt(`0x${words.map((word) => (word.match(/../g) ?? []).reverse().join('')).join('')}`)
  const ip: Ip =
    words.length === 4 && value >> 32n !== 0xffffn ? { family: 6, value } : { family: 4, value: value & 0xffff_ffffn }
  return formatIp(ip)
}

/** The ports that sshd_config(5) gives sshd: 22 where it names none. */
export function sshPorts(config: string): number[] {
  const ports = config.split('\n').flatMap((line) => {
    const [, word = '', value = ''] = /^\s*(port|listenaddress)\s*[\s=]\s*"?([^\s"#]+)/i.exec(line) ?? []
    const port = word.toLowerCase() === 'port' ? value : (/^(?:\[.*\]|[^:]*):(\d+)$/.exec(value)?.[1] ?? '')
    return /^\d{1,5}$/.test(port) ? [Number(port)] : []
  })
  return ports.length === 0 ? [22] : ports
}

/** The ports of a socket unit (systemd.socket(5)). An empty line takes back those before it. */
export function socketPorts(unit: string): number[] {
  let ports: number[] = []
  for (const [, value = ''] of unit.matchAll(/^\s*ListenStream\s*=[ \t]*(.*)$/gm)) {
    const [, port = ''] = /^(?:.*:)?(\d{1,5})$/.exec(value.trim()) ?? []
    if (value.trim() === '') ports = []
    else if (port !== '') ports.push(Number(port))
  }
  return ports
}

/** The addresses that resolv.conf(5) names. */
export const nameServers = (text: string): string[] =>
  [...text.matchAll(/^\s*nameserver\s+([\da-f.:]+)/gim)].map(([, address = '']) => address)
