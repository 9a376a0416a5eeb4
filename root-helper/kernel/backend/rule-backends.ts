// Which program carries out relay rules here: nft where it works, else iptables of the variant that this host uses, else the other; or the one that was asked for.
import { join } from 'node:path'
import { RULE_BACKENDS, type RuleBackend, type RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import { TABLE } from '@panel/shared/ruleset/nft/table.ts'
import type { WantedBackend } from '../../config.ts'
import { log } from '../../log.ts'
import { rulesetGeneration } from '../../netlink/nftables/generation.ts'
import { KernelError, type Kernel, type Netfilter, type Rulesets } from '../facilities.ts'
import { readIfThere, writeWhole } from '../files/files.ts'
import { Generations } from '../nft/generations.ts'
import { findTool, nftAnswers, type BackendAnswer } from '../host/facts.ts'
import { IptablesRulesets } from '../iptables/rulesets.ts'
import { defaultVariant, openIptables } from '../iptables/iptables.ts'
import { keptRulesIn, type KeptRules } from '../files/kept-rules.ts'
import { foreignBy, foreignUnread } from '../nft/foreign.ts'
import { Nft } from '../nft/nft.ts'
import { RulesetChanges } from '../nft/ruleset-changes.ts'
import { rulesetsWithout } from './none.ts'
import { NftRulesets } from '../nft/rulesets.ts'

/** What every backend is opened with: the rules last accepted, and one count of whose changes nftables has seen. */
interface Common {
  readonly kept: KeptRules
  readonly generations: Generations
}

type SomeBackend = Exclude<RuleBackend, 'none'>

/** One that works here; `clear` takes all of ours out of it and says whether anything was there, and `answers` asks whether it still works. */
interface Opened {
  readonly found: RuleBackendFound
  readonly rulesets: Rulesets
  readonly clear: () => Promise<boolean>
  readonly answers: () => Promise<BackendAnswer>
}

/** What was chosen when the helper began. */
export interface Netfilters extends Pick<Kernel, 'rulesets' | 'netfilter'> {
  /** Of nftables, by others. */
  readonly changes: RulesetChanges
  readonly ruleBackend: RuleBackendFound
  readonly backendAnswers: () => Promise<BackendAnswer>
}

export async function openNetfilter(stateDir: string, wanted: WantedBackend): Promise<Netfilters> {
  const common = { kept: keptRulesIn(stateDir), generations: new Generations(rulesetGeneration()) }
  const changes = new RulesetChanges(() => common.generations.ofOthers())
  const nft = await findTool('nft')
  const netfilter =
    nft === null
      ? foreignUnread(
          'nft is not installed, so the rules of other software cannot be read: install the package nftables',
        )
      : foreignBy(new Nft(nft), () => common.generations.ofOthers())
  const { opened, refused } = await choose(common, wanted)
  if (!opened) {
    const reason = refused.slice(0, 300)
    return {
      ruleBackend: { active: 'none', has_ipv6: false, reason },
      rulesets: rulesetsWithout(reason),
      netfilter,
      changes,
      backendAnswers: async () => ({ available: false, version: '', detail: reason }),
    }
  }
  return {
    ruleBackend: opened.found,
    rulesets: afterAnother(opened, common, join(stateDir, 'rule-backend')),
    netfilter: opened.found.active === 'iptables_legacy' ? besideLegacy(netfilter) : netfilter,
    changes,
    backendAnswers: opened.answers,
  }
}

/** nft tells nothing of what stands in the tables of iptables-legacy. */
const besideLegacy = (netfilter: Netfilter): Netfilter => ({
  foreign: async () => {
    const found = await netfilter.foreign()
    return found.is_readable
      ? {
          ...found,
          is_whole: false,
          detail: [found.detail, 'rules in the tables of iptables-legacy are not among them']
            .filter((text) => text !== '')
            .join('; '),
        }
      : found
  },
})

async function choose(common: Common, wanted: WantedBackend): Promise<{ opened: Opened | null; refused: string }> {
  const refusals: string[] = []
  for (const backend of wanted ? [wanted] : await inOrderOfChoice()) {
    const opened = await open(backend, common, wanted ? 'PANEL_RULE_BACKEND asks for it' : (refusals[0] ?? ''))
    if (typeof opened !== 'string') return { opened, refused: '' }
    refusals.push(opened)
  }
  return {
    opened: null,
    refused: wanted
      ? `PANEL_RULE_BACKEND asks for ${wanted}, and ${refusals.join('; ')}`
      : `Nothing here can hold relay rules (${refusals.join('; ')}): install the package nftables`,
  }
}

async function inOrderOfChoice(): Promise<SomeBackend[]> {
  return (await defaultVariant()) === 'iptables_legacy'
    ? ['nftables', 'iptables_legacy', 'iptables_nft']
    : ['nftables', 'iptables_nft', 'iptables_legacy']
}

/** Says why where it does not work here. `why` is what speaks against a better one. */
async function open(backend: SomeBackend, common: Common, why: string): Promise<Opened | string> {
  if (backend === 'nftables') return openNft(common, why)
  const iptables = await openIptables(backend)
  if (typeof iptables === 'string') return iptables
  const rulesets = new IptablesRulesets(iptables, common.kept)
  return {
    found: { active: backend, has_ipv6: iptables.hasIpv6, reason: why || 'iptables is used where nft is not' },
    rulesets,
    clear: () => rulesets.clear(),
    answers: () => iptables.answers(),
  }
}

async function openNft({ kept, generations }: Common, why: string): Promise<Opened | string> {
  const path = await findTool('nft')
  if (path === null) return 'nft is not installed'
  const nft = new Nft(path)
  try {
    // Listing asks the kernel, so a kernel without nf_tables shows here.
    await nft.list('list tables')
  } catch (error) {
    if (error instanceof KernelError) return error.message.slice(0, 300)
    throw error
  }
  const clear = async (): Promise<boolean> => {
    if ((await nft.list(`list table ${TABLE}`)) === null) return false
    await nft.submit(`delete table ${TABLE}\n`)
    return true
  }
  return {
    found: {
      active: 'nftables',
      has_ipv6: true,
      reason: why || 'nftables is used wherever nft and the kernel offer it',
    },
    rulesets: new NftRulesets(nft, kept, generations),
    clear,
    answers: nftAnswers,
  }
}

/** A backend that takes over from another brings back the rules itself, and then takes the other's away: two would relay twice. */
function afterAnother(opened: Opened, common: Common, path: string): Rulesets {
  const { rulesets, found } = opened
  const restore = async (): Promise<number | null> => {
    const restored = await rulesets.restore()
    const written = readIfThere(path)
    const before = RULE_BACKENDS.find((name) => name === written) ?? 'nftables'
    if (before === found.active) return restored
    if (before !== 'none') await takeAway(before, common)
    await writeWhole(path, found.active, 0o600)
    return restored
  }
  return {
    read: () => rulesets.read(),
    submit: (gone, put) => rulesets.submit(gone, put),
    removeCounters: (ids) => rulesets.removeCounters(ids),
    counters: () => rulesets.counters(),
    restore,
  }
}

async function takeAway(before: SomeBackend, common: Common): Promise<void> {
  const other = await open(before, common, '')
  if (typeof other === 'string')
    return log('info', 'The relay rules of another backend are left, since it does not work here', {
      backend: before,
      detail: other,
    })
  if (await other.clear()) log('info', 'The relay rules that another backend held are taken away', { backend: before })
}
