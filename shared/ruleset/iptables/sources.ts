// The chain of our nat table that has, for each tunnel, the source address of what is masqueraded over it. Its lines
// follow the host and are no part of the rules. Pure.
import { canonicalIp, type Family } from '../../address/ip.ts'
import { INTERFACE_NAME_PATTERN } from '../../tunnel/model.ts'
import { normalizeLine } from './read-tables.ts'
import { SOURCE_CHAIN } from './tables.ts'

interface Source {
  readonly interface_name: string
  readonly address: string
}

/** Others may have given a tunnel a name that iptables reads as something else, such as a wildcard. */
const isNameable = ({ interface_name }: Source): boolean => new RegExp(INTERFACE_NAME_PATTERN).test(interface_name)

/** Those of the family, in an order of their own, since a packet meets one of them at most. */
export const formatSources = (sources: readonly Source[], family: Family): string[] =>
  sources
    .filter((one) => one.address.includes(':') === (family === 6) && isNameable(one))
    .map(({ interface_name, address }) => `-o ${interface_name} -j SNAT --to-source ${canonicalIp(address)}`)
    .sort()

/** For iptables-restore --noflush: the whole chain at once. */
export const renderSources = (lines: readonly string[]): string =>
  ['*nat', `-F ${SOURCE_CHAIN}`, ...lines.map((line) => `-A ${SOURCE_CHAIN} ${line}`), 'COMMIT', ''].join('\n')

/** What iptables-save or iptables -S lists of the chain, foreign lines too; null where the chain is not there. */
export function readSourceLines(listed: string, family: Family): string[] | null {
  if (!new RegExp(`^(?::|-N )${SOURCE_CHAIN}\\b`, 'm').test(listed)) return null
  return [...listed.matchAll(new RegExp(`^-A ${SOURCE_CHAIN} (.*)$`, 'gm'))]
    .map(([, line = '']) => normalizeLine(line, family))
    .sort()
}

/** The inverse of formatSources. */
export const readSources = (lines: readonly string[]): Source[] =>
  lines.flatMap((line) => {
    const [, interface_name, address] = /^-o (\S+) -j SNAT --to-source (\S+)$/.exec(line) ?? []
    return interface_name === undefined || address === undefined ? [] : [{ interface_name, address }]
  })
