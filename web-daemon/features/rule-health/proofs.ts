// What proves that a rule relays: packets that went both ways, a check or an analysis that succeeded. It is kept in the
// store, and proves nothing any more of a rule, a path or a link that has changed since (decisions.md, S22).
import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Proof } from '@panel/shared/api/routes/causes.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Hostnames } from '../failover/hostnames.ts'
import { takersOf } from '../failover/takers.ts'
import type { WatchedTunnels } from '../monitor/watched-tunnels.ts'
import { isOneWay, type TrafficEvidence } from '../traffic/evidence.ts'
import { ruleOf, type RouteRecord } from '../routes/record.ts'
import type { RuleFacts } from './facts.ts'
import { saveProofs, storedProofs, type ProvenBy, type StoredProof } from './proof-store.ts'

interface Deps extends Pick<CommandContext, 'db' | 'now'> {
  readonly evidence: TrafficEvidence
  /** Those among the destinations. */
  readonly names: Pick<Hostnames, 'of'>
  readonly monitored: Pick<WatchedTunnels, 'stateOf'>
  readonly logger: Logger
}

const SAVE_EVERY_MS = 60_000
const UNPROVEN: Proof = { state: 'unproven', at: null, by: null }

export class Proofs {
  readonly #deps: Deps
  readonly #known = new Map<number, StoredProof>()
  #loading: Promise<void> | null = null
  readonly #unsaved = new Set<number>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get evidence(): TrafficEvidence {
    return this.#deps.evidence
  }

  get names(): Pick<Hostnames, 'of'> {
    return this.#deps.names
  }

  get monitored(): Pick<WatchedTunnels, 'stateOf'> {
    return this.#deps.monitored
  }

  start(): void {
    this.#timer = setInterval(
      () => void this.save().catch((err: unknown) => this.#deps.logger.error({ err }, 'the proofs were not saved')),
      SAVE_EVERY_MS,
    )
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    await this.save()
  }

  loaded(): Promise<void> {
    this.#loading ??= storedProofs(this.#deps.db).then(
      (stored) => {
        for (const [id, proof] of stored) if (!this.#known.has(id)) this.#known.set(id, proof)
      },
      (failure: unknown) => {
        this.#loading = null
        throw failure
      },
    )
    return this.#loading
  }

  async save(): Promise<void> {
    const ids = [...this.#unsaved]
    if (ids.length === 0) return
    this.#unsaved.clear()
    try {
      await saveProofs(this.#deps.db, ids, this.#known)
    } catch (failure) {
      for (const id of ids) this.#unsaved.add(id)
      throw failure
    }
  }

  /** An analysis has succeeded now. */
  proven(route_rule_id: number, by: ProvenBy): void {
    this.#set(route_rule_id, { at: this.#deps.now().toISOString(), by, of: null })
  }

  /** The rules are others now. */
  changed(route_rule_ids: readonly number[]): void {
    this.evidence.forget(route_rule_ids)
    for (const id of route_rule_ids) if (this.#known.get(id)?.of === null) this.#known.delete(id)
  }

  /** Call it with all that is known of the rule now. */
  of(record: RouteRecord, facts: RuleFacts): Proof {
    const { route_rule_id: id, is_enabled } = record
    if (!is_enabled) return UNPROVEN
    const carried = this.evidence.carried(id)
    if (carried) this.#carried(id, new Date(carried.at).toISOString())
    const proof = this.#kept(record, facts)
    if (isOneWay(this.evidence.unanswered(id))) return { ...UNPROVEN, state: 'one_way' }
    if (proof && carried?.isNow === true) return { state: 'carrying', at: proof.at, by: proof.by }
    // Checks go on, and the state of a destination is what the last ones found.
    const isChecked = takersOf(record).some(({ state }) => state === 'up')
    if (isChecked) return { state: 'proven', at: this.#deps.now().toISOString(), by: 'check' }
    return proof ? { state: 'proven', at: proof.at, by: proof.by } : UNPROVEN
  }

  /** The same proof by what has flowed since it was found. */
  now(route_rule_id: number, found: Proof): Proof {
    const carried = this.evidence.carried(route_rule_id)
    if (!carried || found.state === 'unproven' || found.state === 'one_way') return found
    return { state: carried.isNow ? 'carrying' : 'proven', at: new Date(carried.at).toISOString(), by: 'traffic' }
  }

  #carried(id: number, at: string): void {
    const known = this.#known.get(id)
    if (known && known.at >= at) return
    this.#set(id, { at, by: 'traffic', of: known?.of ?? null })
  }

  /** The proof, if it is one of the rule as it is now. Without the helper nobody knows the path. */
  #kept(record: RouteRecord, facts: RuleFacts): StoredProof | null {
    const proof = this.#known.get(record.route_rule_id)
    if (!proof || facts.interfaces === null) return proof ?? null
    const now = subjectOf(record, facts)
    if (proof.of === now) return proof
    if (proof.of !== null) {
      this.evidence.forget([record.route_rule_id])
      this.#known.delete(record.route_rule_id)
      this.#unsaved.add(record.route_rule_id)
      return null
    }
    const kept = { ...proof, of: now }
    this.#set(record.route_rule_id, kept)
    return kept
  }

  #set(id: number, proof: StoredProof): void {
    this.#known.set(id, proof)
    this.#unsaved.add(id)
  }
}

/** The rule, its path and the links on it, but for which destinations are in rotation. */
function subjectOf(record: RouteRecord, { paths, interfaces, owner }: RuleFacts): string {
  const rule = ruleOf(record)
  const destinations = rule?.destinations.map(({ rotation: _, ...one }) => one)
  const links = paths.outDevices(record).map(({ device }) => [device, interfaces?.get(device ?? '')?.index])
  const what = JSON.stringify([
    { ...rule, destinations, is_closed: false, is_fast_path: false, sort_order: 0 },
    links,
    owner?.index,
  ])
  return createHash('sha256').update(what).digest('base64url')
}
