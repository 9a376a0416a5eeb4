// How often this server has refused what others send it, GRE that none of its tunnels takes among that: the kernel counts it, and anybody may read it.
import type { Host } from '../metrics/host.ts'

/** What it said, and what it held back as it says so much in a second and no more (RFC 1213, RFC 2466; net/ipv4/proc.c). */
const COUNTED = [
  'OutDestUnreachs',
  'OutRateLimitHost',
  'OutRateLimitGlobal',
  'Icmp6OutDestUnreachs',
  'Icmp6OutRateLimitHost',
]

/** So many since boot. Where the kernel tells nothing, nothing seems to be refused. */
export function refusalsSent({ has, read }: Host): number {
  const [names = [], figures = []] = linesOf({ has, read }, '/proc/net/snmp')
    .filter((line) => line.startsWith('Icmp:'))
    .map(columnsOf)
  const ipv4 = names.map((name, at) => [name, figures[at]] as const)
  const ipv6 = linesOf({ has, read }, '/proc/net/snmp6')
    .map(columnsOf)
    .map(([name = '', figure]) => [name, figure] as const)
  return [...ipv4, ...ipv6]
    .filter(([name]) => COUNTED.includes(name))
    .reduce((sum, [, figure]) => sum + Number(figure), 0)
}

const linesOf = ({ has, read }: Pick<Host, 'has' | 'read'>, path: string): string[] =>
  has(path) ? read(path).split('\n') : []
const columnsOf = (line: string): string[] => line.trim().split(/\s+/)
