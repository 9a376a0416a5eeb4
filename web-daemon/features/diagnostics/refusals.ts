// How many packets this server has rejected with ICMP errors, among them GRE that matches no tunnel; the kernel's
// counters, readable by anybody.
import type { Host } from '../metrics/host.ts'

/** Errors that were sent, and those suppressed by the rate limit (RFC 1213, RFC 2466; net/ipv4/proc.c). */
const COUNTED = [
  'OutDestUnreachs',
  'OutRateLimitHost',
  'OutRateLimitGlobal',
  'Icmp6OutDestUnreachs',
  'Icmp6OutRateLimitHost',
]

/** Since boot; 0 if the kernel has no such counters. */
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
