// Everything of netfilter that the helper is given: the relay rules in whatever backend is active, the rules of other
// software, and their changes.
import { message } from '@panel/shared/messages/message.ts'
import type { WantedBackend } from '../../config.ts'
import { rulesetGeneration } from '../../netlink/nftables/generation.ts'
import { AnswersTable } from '../answers/table.ts'
import type { FastFlows } from '../conntrack/fast-flows.ts'
import type { Kernel } from '../facilities.ts'
import type { Rulesets } from '../relay-facilities.ts'
import type { BootRules } from '../files/boot-rules.ts'
import type { StateFolder } from '../files/state-folder.ts'
import { findTool, type BackendAnswer } from '../host/facts.ts'
import { LegacyTables, withLegacy } from '../iptables/legacy-tables.ts'
import { foreignBy, foreignUnread } from '../nft/foreign.ts'
import { Generations } from '../nft/generations.ts'
import { Nft } from '../nft/nft.ts'
import { OwnedTable } from '../nft/owned-table.ts'
import { TableProtection } from '../nft/protection.ts'
import { RulesetChanges } from '../nft/ruleset-changes.ts'
import { BackendChoice } from './rule-backends.ts'

export interface Netfilters extends Pick<Kernel, 'rulesets' | 'ruleBackends' | 'netfilter'> {
  /** Changes of nftables by others. */
  readonly changes: RulesetChanges
  /** Tables of iptables-legacy, which nft does not list. */
  readonly legacy: LegacyTables
  readonly backendAnswers: () => Promise<BackendAnswer>
  /** It works beside any backend, and needs nft alone. */
  readonly answersTable: AnswersTable
}

/** No backend is chosen yet. `onSaved`: whenever rules have changed that boot brings back, or were put in again. */
export function openNetfilter(
  state: StateFolder,
  boot: BootRules,
  wanted: WantedBackend,
  fastFlows: FastFlows,
  onSaved: () => Promise<void>,
): Netfilters {
  const generations = new Generations(rulesetGeneration())
  const protection = new TableProtection(state, new OwnedTable(generations.now))
  const choice = new BackendChoice(state, { boot, generations, protection, fastFlows }, wanted)
  const legacy = new LegacyTables(() => choice.active.active === 'iptables_legacy')
  const nft = findTool('nft')
  const netfilter =
    nft === null
      ? foreignUnread(message('root.rules_of_others_unread').message)
      : foreignBy(new Nft(nft), () => generations.ofOthers())
  return {
    ruleBackends: choice,
    rulesets: rulesetsOf(choice, onSaved),
    netfilter: withLegacy(netfilter, legacy),
    legacy,
    changes: new RulesetChanges(() => generations.ofOthers()),
    backendAnswers: () => choice.answers(),
    answersTable: new AnswersTable(nft === null ? null : new Nft(nft), generations),
  }
}

/** The facade of whatever backend is active at the moment. */
function rulesetsOf(choice: BackendChoice, onSaved: () => Promise<void>): Rulesets {
  const read: Rulesets['read'] = async () => ({ ...(await choice.rulesets.read()), trouble: choice.blocking })
  const saveForBoot: Rulesets['saveForBoot'] = async (gone, put) => {
    await choice.rulesets.saveForBoot(gone, put)
    await onSaved()
  }
  return new Proxy({ read, saveForBoot } as Rulesets, {
    get(own, name) {
      if (name in own) return Reflect.get(own, name) as unknown
      const { rulesets } = choice
      const member = Reflect.get(rulesets, name) as unknown
      return typeof member === 'function' ? (member.bind(rulesets) as unknown) : member
    },
  })
}
