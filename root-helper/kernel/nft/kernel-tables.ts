// What the kernel itself says about tables, ours and those of either variant of iptables, without starting a program.
import type { Family } from '@panel/shared/address/ip.ts'
import type { IptablesBackend } from '@panel/shared/ruleset/backend.ts'
import { OURS } from '@panel/shared/ruleset/iptables/tables.ts'
import { NETLINK_NETFILTER } from '../../netlink/constants.ts'
import { KernelError } from '../../kernel-error.ts'
import { chainsRequest, decodeChainName, decodeTable, tablesRequest } from '../../netlink/nftables/nftables.ts'
import * as k from '../../netlink/nftables/constants.ts'
import type { Message } from '../../netlink/message.ts'
import { NetlinkSocket, type Request } from '../../netlink/socket.ts'
import { errorCode } from '../files/files.ts'
import { textIn } from '../files/proc.ts'
import { messageOf } from '../../text.ts'
import { TABLE } from '@panel/shared/ruleset/nft/table.ts'

const PROTOCOLS: Readonly<Record<Family, number>> = { 4: k.NFPROTO_IPV4, 6: k.NFPROTO_IPV6 }

/** Names of the tables that the variant has in this namespace; none for a family that the kernel lacks. */
export async function kernelTables(backend: IptablesBackend, family: Family): Promise<string[]> {
  if (backend === 'iptables_legacy') return legacyTables(`/proc/net/${family === 4 ? 'ip' : 'ip6'}_tables_names`)
  return (await dump(tablesRequest()))
    .map(decodeTable)
    .filter((table) => table.family === PROTOCOLS[family])
    .map(({ name }) => name)
}

/** Root of a user namespace may not read the file, which belongs to that of the host. */
export function legacyTables(path: string): string[] {
  try {
    return (textIn(path) ?? '').split('\n').filter(Boolean)
  } catch (failure) {
    throw new KernelError(errorCode(failure) ?? '', messageOf(failure))
  }
}

const FAMILY_NAMES: Readonly<Record<number, string>> = {
  [k.NFPROTO_INET]: 'inet',
  [k.NFPROTO_IPV4]: 'ip',
  [k.NFPROTO_ARP]: 'arp',
  [k.NFPROTO_NETDEV]: 'netdev',
  [k.NFPROTO_BRIDGE]: 'bridge',
  [k.NFPROTO_IPV6]: 'ip6',
}

/** Every table, as nft names it: the family and the name. */
export const nftTables = async (): Promise<string[]> =>
  (await dump(tablesRequest())).map(decodeTable).map(({ family, name }) => `${FAMILY_NAMES[family] ?? family} ${name}`)

export const hasOurTable = async (): Promise<boolean> => (await nftTables()).includes(TABLE)

/** Whether iptables-nft has a chain of ours, listed by any program that can. */
export async function hasChainsByNft(): Promise<boolean> {
  for (const family of [4, 6] as const)
    if ((await dump(chainsRequest(PROTOCOLS[family]))).some((chain) => decodeChainName(chain).startsWith(OURS)))
      return true
  return false
}

/** What a kernel without nf_tables answers, or a namespace without netfilter. */
const NOT_THERE = new Set(['EINVAL', 'EOPNOTSUPP', 'EPROTONOSUPPORT', 'EAFNOSUPPORT', 'ENOSYS'])

export const lacksNfTables = (error: unknown): boolean => error instanceof KernelError && NOT_THERE.has(error.code)

/** Empty where the kernel has no nf_tables. */
async function dump(request: Request): Promise<Message[]> {
  try {
    const socket = new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    try {
      return await socket.dump(request)
    } finally {
      socket.close()
    }
  } catch (error) {
    if (lacksNfTables(error)) return []
    throw error
  }
}
