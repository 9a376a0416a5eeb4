// Which program holds the relay rules: the one that holds them already, or the one that the operator named; otherwise
// nft, then iptables of the variant that this host uses, then the other variant.
import { message } from '@panel/shared/messages/message.ts'
import { RULE_BACKENDS, type RuleBackend, type RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import type { WantedBackend } from '../../config.ts'
import { messageOf, oneLine } from '../../text.ts'
import type { Leftovers, RuleBackends, Rulesets } from '../relay-facilities.ts'
import type { StateFolder } from '../files/state-folder.ts'
import type { BackendAnswer } from '../host/facts.ts'
import { defaultVariant } from '../iptables/iptables.ts'
import { hasOurTable } from '../nft/kernel-tables.ts'
import { leftoversBeside } from './leftovers.ts'
import { rulesetsWithout } from './none.ts'
import { isOpened, openBackend, type Common, type Opened, type SomeBackend } from './open.ts'

const RECORD = 'rule-backend'

/** What is known of the choice: a backend that works, or why there is none yet. `isNone`: this host has no backend. */
type Choice = Opened | { readonly backend: SomeBackend; readonly isNone: boolean; readonly why: string }

const isWorking = (choice: Choice): choice is Opened => 'rulesets' in choice
const isNone = (choice: Choice): boolean => 'isNone' in choice && choice.isNone

export class BackendChoice implements RuleBackends {
  readonly #state: StateFolder
  readonly #common: Common
  readonly #wanted: WantedBackend
  #choice: Choice
  #reason = ''
  #leftovers: Leftovers = { found: [], unread: '' }
  #whyNotMoved = ''
  #isStarted = false

  constructor(state: StateFolder, common: Common, wanted: WantedBackend) {
    this.#state = state
    this.#common = common
    this.#wanted = wanted
    this.#choice = waiting(wanted ?? 'nftables', message('root.backend_not_chosen').message)
  }

  get isNamed(): boolean {
    return this.#wanted !== null
  }

  get active(): RuleBackendFound {
    const choice = this.#choice
    const pending = this.#isStarted || isNone(choice) ? '' : message('root.backend_not_started').message
    const is = { leftovers: [...this.#leftovers.found], trouble: this.blocking || pending }
    if (isWorking(choice)) return { active: choice.backend, has_ipv6: choice.has_ipv6, reason: this.#reason, ...is }
    return {
      active: isNone(choice) ? 'none' : choice.backend,
      has_ipv6: false,
      reason: choice.why.slice(0, 300),
      ...is,
    }
  }

  /** The active backend; while there is none, a stand-in that cannot be read and refuses every change. */
  get rulesets(): Rulesets {
    const choice = this.#choice
    return isWorking(choice) ? choice.rulesets : rulesetsWithout(this.active.active, choice.why, this.#common.boot)
  }

  async answers(): Promise<BackendAnswer> {
    const choice = this.#choice
    if (isWorking(choice)) return choice.answers()
    return { available: false, version: '', detail: choice.why.slice(0, 300) }
  }

  recorded(): RuleBackend | null {
    const written = this.#state.read(RECORD)
    return RULE_BACKENDS.find((name) => name === written) ?? null
  }

  record = (backend: RuleBackend): Promise<void> => this.#state.write(RECORD, backend)

  async open(backend: RuleBackend): Promise<Rulesets | string> {
    if (isWorking(this.#choice) && backend === this.#choice.backend) return this.#choice.rulesets
    if (backend === 'none') return 'no backend held relay rules'
    const opened = await openBackend(backend, this.#common)
    return isOpened(opened) ? opened.rulesets : opened.why
  }

  async choose(): Promise<string | null> {
    if (isWorking(this.#choice)) return null
    try {
      this.#choice = await this.#choose()
    } catch (error) {
      this.#choice = { ...this.#choice, isNone: false, why: oneLine(messageOf(error)) }
    }
    return isWorking(this.#choice) ? null : this.#choice.why
  }

  async look(): Promise<Leftovers> {
    this.#leftovers = await leftoversBeside(this.active.active)
    this.#whyNotMoved = ''
    return this.#leftovers
  }

  notMoved(why: string): void {
    this.#whyNotMoved = why
  }

  started(): void {
    this.#isStarted = true
  }

  /** Why no change of rules begins; "" if one can. */
  get blocking(): string {
    return oneLine(this.#blocking()).slice(0, 600)
  }

  #blocking(): string {
    if (!isWorking(this.#choice)) return this.#choice.isNone ? '' : this.#choice.why
    const [other] = this.#leftovers.found
    if (other === undefined) return ''
    const names = { active: this.#choice.backend, other }
    const why = this.#whyNotMoved
    return why === ''
      ? message('root.backend_left', names).message
      : message('root.backend_not_moved', { ...names, why }).message
  }

  /** A backend that fails is not passed over: only one that this host lacks gives way to the next. */
  async #choose(): Promise<Choice> {
    const settled = this.#wanted ?? (await this.#settled())
    const refusals: string[] = []
    for await (const backend of settled ? [settled] : inOrderOfChoice()) {
      const opening = await openBackend(backend, this.#common)
      if (isOpened(opening)) return this.#chosen(opening, settled, refusals[0])
      if (this.#wanted) return waiting(backend, message('root.not_asked_for', { backend, why: opening.why }).message)
      if (settled) return waiting(backend, message('root.backend_settled', { backend, why: opening.why }).message)
      if (!opening.isMissing)
        return waiting(backend, message('root.backend_fails', { backend, why: opening.why }).message)
      refusals.push(opening.why)
    }
    const why = message('root.no_backend', { why: refusals.join('; ') }).message
    return { backend: 'nftables', isNone: true, why: why.slice(0, 300) }
  }

  #chosen(opened: Opened, settled: SomeBackend | null, better?: string): Opened {
    if (this.#wanted) this.#reason = message('root.asked_for').message
    else if (opened.backend === 'nftables') this.#reason = message('root.nftables').message
    else this.#reason = better ?? message(settled ? 'root.backend_stays' : 'root.iptables').message
    return opened
  }

  /** The backend that holds rules of ours, or may; null if rules are nowhere, and so can be anywhere. */
  async #settled(): Promise<SomeBackend | null> {
    const recorded = this.recorded()
    if (recorded === 'nftables' || (await hasOurTable())) return 'nftables'
    if (recorded === null || recorded === 'none') return null
    const { boot_rules, boot_trouble } = this.#common.boot.held()
    if (boot_rules.length > 0 || boot_trouble !== null) return recorded
    const { found } = await leftoversBeside('nftables')
    return found.includes(recorded) ? recorded : null
  }
}

const waiting = (backend: SomeBackend, why: string): Choice => ({ backend, isNone: false, why: oneLine(why) })

/** The variant of iptables matters only where nft is missing. */
async function* inOrderOfChoice(): AsyncGenerator<SomeBackend> {
  yield 'nftables'
  const first = (await defaultVariant()) ?? 'iptables_nft'
  yield first
  yield first === 'iptables_nft' ? 'iptables_legacy' : 'iptables_nft'
}
