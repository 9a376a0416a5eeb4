// Opens one backend of relay rules. One that is missing is not one that fails: only in the place of the former may
// another be chosen.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { messageOf, oneLine } from '../../text.ts'
import type { FastFlows } from '../conntrack/fast-flows.ts'
import type { Rulesets } from '../relay-facilities.ts'
import type { BootRules } from '../files/boot-rules.ts'
import { findTool, nftAnswers, type BackendAnswer } from '../host/facts.ts'
import { openIptables } from '../iptables/iptables.ts'
import { lacksNfTables } from '../nft/kernel-tables.ts'
import { IptablesRulesets } from '../iptables/rulesets.ts'
import type { Generations } from '../nft/generations.ts'
import { Nft } from '../nft/nft.ts'
import type { TableProtection } from '../nft/protection.ts'
import { NftRulesets } from '../nft/rulesets.ts'

/**
 * Shared by all backends: the rules that boot brings back, which nftables generations are ours, and who owns our table.
 */
export interface Common {
  readonly boot: BootRules
  readonly generations: Generations
  readonly protection: TableProtection
  readonly fastFlows: FastFlows
}

export type SomeBackend = Exclude<RuleBackend, 'none'>

export interface Opened {
  readonly backend: SomeBackend
  readonly has_ipv6: boolean
  readonly rulesets: Rulesets
  /** Whether the backend still works. */
  readonly answers: () => Promise<BackendAnswer>
}

/** `missing`: this host or its kernel does not have it. Otherwise it is there and does not work, for now. */
export interface NotOpened {
  readonly isMissing: boolean
  readonly why: string
}

export const isOpened = (opening: Opened | NotOpened): opening is Opened => 'rulesets' in opening

/** Opened is what has also listed what it holds. */
export async function openBackend(backend: SomeBackend, common: Common): Promise<Opened | NotOpened> {
  try {
    const opening = await (backend === 'nftables' ? openNft(common) : openVariant(backend, common))
    if (!isOpened(opening)) return opening
    const { is_readable, detail } = await opening.rulesets.read()
    return is_readable ? opening : { isMissing: false, why: detail }
  } catch (error) {
    return { isMissing: false, why: oneLine(messageOf(error)).slice(0, 300) }
  }
}

const missing = (why: Message | string): NotOpened => ({
  isMissing: true,
  why: typeof why === 'string' ? why : why.message,
})

/** Checks with the kernel itself whether it has nf_tables: nft may fail for other reasons. */
async function openNft({ boot, generations, protection, fastFlows }: Common): Promise<Opened | NotOpened> {
  const path = findTool('nft')
  if (path === null) return missing(message('root.no_nft'))
  try {
    await generations.now()
  } catch (error) {
    if (lacksNfTables(error)) return missing(messageOf(error).slice(0, 300))
    throw error
  }
  await protection.start()
  const rulesets = new NftRulesets(new Nft(path), boot, generations, protection, fastFlows)
  return { backend: 'nftables', has_ipv6: true, rulesets, answers: () => nftAnswers(generations.now) }
}

async function openVariant(backend: Exclude<SomeBackend, 'nftables'>, { boot }: Common): Promise<Opened | NotOpened> {
  const iptables = await openIptables(backend)
  if (typeof iptables === 'string') return missing(iptables)
  const rulesets = new IptablesRulesets(iptables, boot)
  return { backend, has_ipv6: iptables.hasIpv6, rulesets, answers: () => iptables.answers() }
}
