// Which program holds the relay rules: nft where it works, else iptables of the variant that this host uses, else the
// other variant; or the one that was configured.
import { message } from '@panel/shared/messages/message.ts'
import { RULE_BACKENDS, type RuleBackend, type RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import type { WantedBackend } from '../../config.ts'
import { rulesetGeneration } from '../../netlink/nftables/generation.ts'
import type { Kernel, RuleBackends, Rulesets } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import type { FastFlows } from '../conntrack/fast-flows.ts'
import type { StateFolder } from '../files/state-folder.ts'
import { Generations } from '../nft/generations.ts'
import { findTool, nftAnswers, type BackendAnswer } from '../host/facts.ts'
import { IptablesRulesets } from '../iptables/rulesets.ts'
import { defaultVariant, openIptables } from '../iptables/iptables.ts'
import { LegacyTables, withLegacy } from '../iptables/legacy-tables.ts'
import type { BootRules } from '../files/boot-rules.ts'
import { foreignBy, foreignUnread } from '../nft/foreign.ts'
import { Nft } from '../nft/nft.ts'
import { OwnedTable } from '../nft/owned-table.ts'
import { TableProtection } from '../nft/protection.ts'
import { RulesetChanges } from '../nft/ruleset-changes.ts'
import { rulesetsWithout } from './none.ts'
import { NftRulesets } from '../nft/rulesets.ts'

/**
 * Shared by all backends: the rules that boot brings back, which nftables generations are ours, and who owns our table.
 */
interface Common {
  readonly boot: BootRules
  readonly generations: Generations
  readonly protection: TableProtection
  readonly fastFlows: FastFlows
}

type SomeBackend = Exclude<RuleBackend, 'none'>

/** A backend that works on this host; `answers` checks whether it still does. */
interface Opened {
  readonly description: RuleBackendFound
  readonly rulesets: Rulesets
  readonly answers: () => Promise<BackendAnswer>
}

/** The choice made when the helper started. */
export interface Netfilters extends Pick<Kernel, 'rulesets' | 'ruleBackends' | 'netfilter'> {
  /** Changes of nftables by others. */
  readonly changes: RulesetChanges
  readonly legacy: LegacyTables
  readonly backendAnswers: () => Promise<BackendAnswer>
}

export async function openNetfilter(
  state: StateFolder,
  boot: BootRules,
  wanted: WantedBackend,
  fastFlows: FastFlows,
): Promise<Netfilters> {
  const generations = new Generations(rulesetGeneration())
  const protection = new TableProtection(state, new OwnedTable(generations.now))
  const common = { boot, generations, protection, fastFlows }
  const changes = new RulesetChanges(() => common.generations.ofOthers())
  const nft = findTool('nft')
  const netfilter =
    nft === null
      ? foreignUnread(
          'nft is not installed, so the rules of other software cannot be read: install the package nftables',
        )
      : foreignBy(new Nft(nft), () => common.generations.ofOthers())
  const { opened, refused } = await choose(common, wanted)
  if (!opened) {
    const reason = refused.slice(0, 300)
    const legacy = new LegacyTables(false)
    return {
      ruleBackends: backendsIn(state, { active: 'none', has_ipv6: false, reason }, common),
      rulesets: rulesetsWithout(reason, common.boot),
      netfilter: withLegacy(netfilter, legacy),
      changes,
      legacy,
      backendAnswers: async () => ({ available: false, version: '', detail: reason }),
    }
  }
  const legacy = new LegacyTables(opened.description.active === 'iptables_legacy')
  return {
    ruleBackends: backendsIn(state, opened.description, common, opened.rulesets),
    rulesets: opened.rulesets,
    netfilter: withLegacy(netfilter, legacy),
    changes,
    legacy,
    backendAnswers: opened.answers,
  }
}

async function choose(common: Common, wanted: WantedBackend): Promise<{ opened: Opened | null; refused: string }> {
  const refusals: string[] = []
  for (const backend of wanted ? [wanted] : await inOrderOfChoice()) {
    const opened = await open(backend, common, wanted ? 'PANEL_RULE_BACKEND asks for it' : (refusals[0] ?? ''))
    if (typeof opened !== 'string') return { opened, refused: '' }
    refusals.push(opened)
  }
  const why = refusals.join('; ')
  return {
    opened: null,
    refused: wanted
      ? message('root.not_asked_for', { backend: wanted, why }).message
      : message('root.no_backend', { why }).message,
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
  const rulesets = new IptablesRulesets(iptables, common.boot)
  return {
    description: { active: backend, has_ipv6: iptables.hasIpv6, reason: why || 'iptables is used where nft is not' },
    rulesets,
    answers: () => iptables.answers(),
  }
}

async function openNft({ boot, generations, protection, fastFlows }: Common, why: string): Promise<Opened | string> {
  const path = findTool('nft')
  if (path === null) return 'nft is not installed'
  const nft = new Nft(path)
  try {
    // A listing makes nft query the kernel, so a kernel without nf_tables is noticed here.
    await nft.text('list tables')
    await protection.start()
  } catch (error) {
    if (error instanceof KernelError) return error.message.slice(0, 300)
    throw error
  }
  return {
    description: {
      active: 'nftables',
      has_ipv6: true,
      reason: why || 'nftables is used wherever nft and the kernel offer it',
    },
    rulesets: new NftRulesets(nft, boot, generations, protection, fastFlows),
    answers: nftAnswers,
  }
}

const RECORD = 'rule-backend'

/** Before there was a record there was no backend but nftables. */
function backendsIn(
  state: StateFolder,
  active: RuleBackendFound,
  common: Common,
  rulesets: Rulesets | null = null,
): RuleBackends {
  return {
    active,
    recorded() {
      const written = state.read(RECORD)
      return RULE_BACKENDS.find((name) => name === written) ?? 'nftables'
    },
    record: (backend) => state.write(RECORD, backend),
    async open(backend) {
      if (rulesets && backend === active.active) return rulesets
      if (backend === 'none') return 'no backend held relay rules'
      const opened = await open(backend, common, '')
      return typeof opened === 'string' ? opened : opened.rulesets
    },
  }
}
