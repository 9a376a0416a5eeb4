// Relay rules and forwarding switches in memory; test/contract holds both to what a real kernel does.
import { message } from '@panel/shared/messages/message.ts'
import { contains, type Cidr, type Ip } from '@panel/shared/address/ip.ts'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import type { FastPathFound } from '@panel/shared/ruleset/fast-path.ts'
import type { FastCounters } from '@panel/shared/ruleset/found.ts'
import type { Protection } from '@panel/shared/ruleset/protection.ts'
import type { RelayCounters, RelayRule } from '@panel/shared/ruleset/model.ts'
import type { RuleBackend, RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import { isOpen, leadsTo, type FlowsFound, type RelayConnection } from '@panel/shared/ruleset/connection.ts'
import type {
  Connections,
  HeldRuleset,
  Leftovers,
  LinkSource,
  RuleBackends,
  Rulesets,
} from '@panel/root-helper/kernel/relay-facilities.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { isOfRule } from '@panel/root-helper/kernel/conntrack/unmarked.ts'
import type { UnmarkedFlow } from '@panel/root-helper/netlink/conntrack.ts'
import { FlowCounts } from '@panel/root-helper/kernel/conntrack/flow-counts.ts'

const ZERO = { tx_bytes: 0, tx_packets: 0, rx_bytes: 0, rx_packets: 0 }

export class FakeRulesets implements Rulesets {
  rules = new Map<number, RelayRule>()
  /** What boot brings back. */
  boot = new Map<number, RelayRule>()
  damaged: HeldRuleset['damaged'] = []
  /** Why it is not known what boot brings back. */
  bootTrouble: string | null = null
  unmanaged: string[] = []
  counted = new Map<number, RelayCounters>()
  isPresent = false
  epoch = '0'
  backend: RuleBackend = 'nftables'
  /** Why nothing can be read; "" where it can. */
  unreadable = ''
  /** Why no change begins; "" where one can. */
  trouble = (): string => ''
  readonly #change: (what: string) => void
  readonly #tell: () => void

  constructor(change: (what: string) => void, tell: () => void) {
    this.#change = change
    this.#tell = tell
  }

  /** Empties the ruleset, like another program's `nft flush ruleset`. */
  flush(): void {
    this.rules.clear()
    this.counted.clear()
    this.isPresent = false
    this.#tell()
  }

  /** Changes a rule by hand. */
  edit(route_rule_id: number, fields: Partial<RelayRule>): void {
    const held = this.rules.get(route_rule_id)
    if (!held) throw new Error(`Rule ${route_rule_id} is not held`)
    this.rules.set(route_rule_id, { ...held, ...fields })
    this.#tell()
  }

  /** Adds to the counters what was relayed since the last time. */
  relay(route_rule_id: number, moved: Partial<typeof ZERO>): void {
    const before = this.counted.get(route_rule_id)
    if (!before) throw new Error(`Rule ${route_rule_id} has no counters`)
    const { tx_bytes = 0, tx_packets = 0, rx_bytes = 0, rx_packets = 0 } = moved
    this.counted.set(route_rule_id, {
      route_rule_id,
      tx_bytes: before.tx_bytes + tx_bytes,
      tx_packets: before.tx_packets + tx_packets,
      rx_bytes: before.rx_bytes + rx_bytes,
      rx_packets: before.rx_packets + rx_packets,
    })
  }

  picture(): unknown {
    const sorted = (rules: Map<number, RelayRule>) => [...rules].sort(([a], [b]) => a - b)
    return [sorted(this.rules), sorted(this.boot), this.damaged, this.unmanaged]
  }

  async read(): Promise<HeldRuleset> {
    const answer = {
      backend: this.backend,
      is_readable: this.unreadable === '',
      is_present: this.isPresent,
      detail: this.unreadable,
      boot_rules: [...this.boot.values()].sort(inOrder),
      boot_trouble: this.bootTrouble,
      trouble: this.trouble(),
    }
    if (!answer.is_readable) return { ...answer, rules: [], damaged: [], unmanaged: [] }
    return {
      ...answer,
      rules: [...this.rules.values()].sort(inOrder),
      damaged: structuredClone(this.damaged),
      unmanaged: [...this.unmanaged],
    }
  }

  async submit(gone: readonly number[], put: readonly RelayRule[]): Promise<void> {
    this.#readable()
    this.#change(`ruleset -${gone.join(',')} +${put.map(({ route_rule_id }) => route_rule_id).join(',')}`)
    if (!this.isPresent) this.epoch = `${Number(this.epoch) + 1}`
    this.isPresent = true
    for (const id of gone) this.rules.delete(id)
    for (const rule of put) {
      this.rules.set(rule.route_rule_id, structuredClone(rule))
      if (!this.counted.has(rule.route_rule_id))
        this.counted.set(rule.route_rule_id, { route_rule_id: rule.route_rule_id, ...ZERO })
    }
    const named = new Set([...gone, ...put.map(({ route_rule_id }) => route_rule_id)])
    this.damaged = this.damaged.filter(({ route_rule_id }) => !named.has(route_rule_id))
    this.unmanaged = []
  }

  /** The refusal of the next rehearsal; "" if there is none. */
  refusesRehearsal = ''

  async rehearse(): Promise<void> {
    this.#readable()
    if (this.refusesRehearsal !== '') throw new KernelError('EINVAL', this.refusesRehearsal)
  }

  async bringUpToDate(): Promise<void> {}

  /** New connections by rule, whatever became of them. */
  readonly arrivals = new Map<number, number>()

  async arrived(route_rule_id: number): Promise<number> {
    this.#readable()
    return this.arrivals.get(route_rule_id) ?? 0
  }

  async removeCounters(route_rule_ids: readonly number[]): Promise<RelayCounters[]> {
    this.#readable()
    this.#change(`counters -${route_rule_ids.join(',')}`)
    const last = route_rule_ids.flatMap((id) => (this.rules.has(id) ? [] : (this.counted.get(id) ?? [])))
    for (const { route_rule_id } of last) this.counted.delete(route_rule_id)
    return last
  }

  async counters(): Promise<{ epoch: string; counters: RelayCounters[] }> {
    this.#readable()
    return { epoch: this.epoch, counters: [...this.counted.values()].sort((a, b) => a.route_rule_id - b.route_rule_id) }
  }

  async saveForBoot(gone: readonly number[], put: readonly RelayRule[]): Promise<void> {
    for (const id of gone) this.boot.delete(id)
    for (const rule of put) this.boot.set(rule.route_rule_id, structuredClone(rule))
  }

  async clear(): Promise<void> {
    this.#readable()
    this.#change('clear')
    this.rules.clear()
    this.counted.clear()
    this.isPresent = false
  }

  /** What the host could do; null if that was not requested. */
  able: Protection = { how: 'owned', detail: message('root.protection_owned').message }
  wanted: boolean | null = null

  async protection(): Promise<Protection> {
    return this.wanted ? this.able : { how: 'none', detail: message('root.protection_off').message }
  }

  followed: readonly LinkSource[] = []
  followSources = async (sources: readonly LinkSource[]): Promise<void> => void (this.followed = sources)

  async sources(): Promise<readonly LinkSource[]> {
    this.#readable()
    return this.isPresent ? this.followed : []
  }
  async followDevices(): Promise<void> {}

  /** Whether the kernel has flowtables. */
  fast: FastPathFound = { is_able: true, detail: '' }
  fastPath = async (): Promise<FastPathFound> => this.fast

  async protect(isWanted: boolean): Promise<Protection> {
    this.wanted = isWanted
    return this.protection()
  }

  #readable(): void {
    if (this.unreadable !== '') throw new KernelError('EPERM', this.unreadable)
  }
}

/** The active backend, and the one that held the rules before it, if there is another. */
export class FakeRuleBackends implements RuleBackends {
  former: FakeRulesets | null = null
  /** Null: the active one, as on a host where nothing was ever handed over. */
  written: RuleBackend | null = null
  /** Whether the operator has named the active one; otherwise the rules of another backend stay where they are. */
  isNamed = true
  /** Why the active backend cannot be used; "" where it can. */
  failing = ''
  readonly #rulesets: FakeRulesets
  readonly #change: (what: string) => void

  constructor(rulesets: FakeRulesets, change: (what: string) => void) {
    this.#rulesets = rulesets
    this.#change = change
    rulesets.trouble = () => this.active.trouble
  }

  /** A backend that holds these rules, and is on record as the one that does. */
  takeOverFrom(backend: RuleBackend, rules: readonly RelayRule[]): void {
    this.former = new FakeRulesets(
      (what) => this.#change(`${backend} ${what}`),
      () => undefined,
    )
    this.former.backend = backend
    this.former.isPresent = true
    for (const rule of rules) this.former.rules.set(rule.route_rule_id, rule)
    this.written = backend
  }

  picture(): unknown {
    return [this.written, this.former && [this.former.isPresent, this.former.picture()]]
  }

  get active(): RuleBackendFound {
    const leftovers = this.former?.isPresent ? [this.former.backend] : []
    const left = message('root.backend_left', { active: this.#rulesets.backend, other: leftovers.join(', ') }).message
    return {
      active: this.#rulesets.backend,
      has_ipv6: true,
      reason: message('root.asked_for').message,
      trouble: this.failing || (leftovers.length > 0 ? left : ''),
      leftovers,
    }
  }

  choose = async (): Promise<string | null> => this.failing || null
  notMoved = (): void => undefined
  started = (): void => undefined
  look = async (): Promise<Leftovers> => ({ found: this.active.leftovers, unread: '' })

  recorded = (): RuleBackend => this.written ?? this.#rulesets.backend

  async record(backend: RuleBackend): Promise<void> {
    this.#change(`record ${backend}`)
    this.written = backend
  }

  open = async (backend: RuleBackend): Promise<Rulesets | string> =>
    [this.#rulesets, this.former].find((one) => one?.backend === backend) ?? `${backend} is not installed`
}

export const fakeConnection = (fields: Partial<RelayConnection> = {}): RelayConnection => ({
  route_rule_id: 1,
  protocol: 'tcp',
  source_address: '203.0.113.5',
  source_port: 40000,
  bind_address: '192.0.2.1',
  bind_port: 443,
  destination_address: '10.9.0.2',
  destination_port: 8443,
  state: 'ESTABLISHED',
  age_seconds: 12,
  timeout_seconds: 300,
  tx_bytes: 10,
  tx_packets: 1,
  rx_bytes: 20,
  rx_packets: 2,
  mark: 0x5000_0100,
  ...fields,
})

export class FakeConnections implements Connections {
  open: RelayConnection[] = []
  others: (readonly Ip[])[] = [] // no rule owns them: where each comes from and goes to
  unmarkedFlows: UnmarkedFlow[] = []
  counts = new FlowCounts()
  /** The kernel's numbers for rules, by where they come from. */
  readonly #numbers = new Map<string, number>()
  /** Why the table cannot be read; "" where it can. */
  unreadable = ''
  readonly #change: (what: string) => void

  constructor(change: (what: string) => void) {
    this.#change = change
  }

  async list(route_rule_ids: readonly number[]): Promise<RelayConnection[]> {
    if (this.unreadable !== '') throw new KernelError('EPERM', this.unreadable)
    return this.open.filter(
      (one) => isOpen(one) && (route_rule_ids.length === 0 || route_rule_ids.includes(one.route_rule_id)),
    )
  }

  async unmarked(rule: RelayRule): Promise<number[]> {
    await this.list([])
    return this.unmarkedFlows.filter((flow) => isOfRule(flow, rule)).map(({ mark }) => mark)
  }
  /** What flows of the fast path have carried; null where there was none. */
  carried: FastCounters | null = null
  fast = async (): Promise<FastCounters | null> => this.carried

  async through(networks: readonly Cidr[]): Promise<number> {
    await this.list([])
    return this.others.filter((ends) => ends.some((end) => networks.some((one) => contains(one, end)))).length
  }

  async count(): Promise<Pick<FlowsFound, 'epoch' | 'flows'>> {
    await this.list([])
    return {
      epoch: this.counts.epoch,
      flows: this.counts.update(
        this.open.map((one) => ({
          route_rule_id: one.route_rule_id,
          flow: this.#numberOf(one),
          isOpen: isOpen(one),
          isAnswered: !['NONE', 'SYN_SENT', 'SYN_RECV', 'UNREPLIED'].includes(one.state),
          isHalfOpen: one.state === 'SYN_RECV',
        })),
      ),
    }
  }

  #numberOf({ source_address, source_port }: RelayConnection): number {
    const from = `${source_address} ${source_port}`
    this.#numbers.set(from, this.#numbers.get(from) ?? this.#numbers.size)
    return this.#numbers.get(from) ?? 0
  }

  /** UDP flows that no rule owns, by where they were sent to. */
  olderFlows: { address: string; port: number }[] = []

  async older(...[listeners, , isEnding]: Parameters<Connections['older']>): Promise<number> {
    await this.list([])
    const isOf = ({ address, port }: { address: string; port: number }): boolean =>
      listeners.some(
        ({ bind_address, bind_port, bind_port_range_end }) =>
          ['0.0.0.0', '::', address].includes(bind_address) &&
          bind_port <= port &&
          port <= (bind_port_range_end ?? bind_port),
      )
    const found = this.olderFlows.filter(isOf)
    if (isEnding && found.length > 0) {
      this.#change('end older flows')
      this.olderFlows = this.olderFlows.filter((one) => !isOf(one))
    }
    return found.length
  }

  async drop(...[route_rule_ids, destinations, kept = []]: Parameters<Connections['drop']>): Promise<number> {
    this.#change(`disconnect ${route_rule_ids.join(',')}`)
    const leads = (one: RelayConnection): boolean =>
      !kept.some((to) => leadsTo(to, one)) &&
      (destinations.length === 0 ||
        destinations.some(({ address, port }) => address === one.destination_address && port === one.destination_port))
    const stay = this.open.filter((one) => !isOpen(one) || !route_rule_ids.includes(one.route_rule_id) || !leads(one))
    const dropped = this.open.length - stay.length
    this.open = stay
    return dropped
  }
}
