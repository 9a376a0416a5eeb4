// Looks for what other backends hold of ours: two backends relay every packet twice. The record does not say, since a
// helper may have been killed between the two.
import { message } from '@panel/shared/messages/message.ts'
import { OURS, RELAY_FAMILIES } from '@panel/shared/ruleset/iptables/tables.ts'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import type { Leftovers } from '../relay-facilities.ts'
import { hasChainsByNft, hasOurTable, kernelTables } from '../nft/kernel-tables.ts'
import { saveLegacy } from '../iptables/iptables.ts'
import { unlessAbsent } from '../../kernel-error.ts'
import { messageOf, oneLine } from '../../text.ts'
import type { SomeBackend } from './open.ts'

const HELD_BY: Readonly<Record<SomeBackend, () => Promise<boolean>>> = {
  nftables: hasOurTable,
  iptables_nft: hasChainsByNft,
  iptables_legacy: hasChainsByLegacy,
}

/** Beside the active backend. Programs are started only for tables that exist and that netlink does not show. */
export async function leftoversBeside(active: RuleBackend): Promise<Leftovers> {
  const found: SomeBackend[] = []
  const unread: string[] = []
  for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const)
    if (backend !== active)
      try {
        if (await HELD_BY[backend]()) found.push(backend)
      } catch (error) {
        unread.push(message('root.backend_unread', { backend, why: messageOf(error) }).message)
      }
  return { found, unread: oneLine(unread.join('; ')).slice(0, 300) }
}

/** A host without its programs has no chains by them. */
async function hasChainsByLegacy(): Promise<boolean> {
  for (const family of RELAY_FAMILIES) {
    const isUsed = (await kernelTables('iptables_legacy', family)).length > 0
    if (isUsed && (await unlessAbsent(saveLegacy(family, null)))?.includes(`:${OURS}`)) return true
  }
  return false
}
