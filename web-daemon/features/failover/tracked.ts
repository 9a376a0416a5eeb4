// What is known of one destination that is checked.
import { networkInterfaces } from 'node:os'
import { canonicalIp } from '@panel/shared/address/ip.ts'
import type { RouteCheck } from '@panel/shared/api/routes/check.ts'
import type { StateChange, StoredState } from './store.ts'
import { isActive, type DestinationRecord, type RouteRecord } from '../routes/record.ts'
import type { Subscription } from './checker.ts'
import { CheckHistory } from './history.ts'
import { UNDECIDED, type CheckRules, type Judgement } from './judge.ts'

export interface TunnelBehind {
  readonly tunnel_id: number
  readonly interface_name: string
}

export class Tracked {
  readonly route_rule_id: number
  history = new CheckHistory()
  judgement: Judgement
  rules: CheckRules = { fall: 1, rise: 1, interval_ms: 1000 }
  tunnel: TunnelBehind | null = null
  #stored: Judgement['state']
  #address: string
  #checked = ''

  constructor(
    route_rule_id: number,
    { address, state }: DestinationRecord,
    stored: StoredState | null,
    flips: readonly number[],
  ) {
    this.route_rule_id = route_rule_id
    this.#stored = state
    this.#address = address
    this.judgement = { ...UNDECIDED, state, ...(stored && { reason: stored.reason }), flips }
  }

  /** Whether what the checks say is not stored yet. */
  get isNews(): boolean {
    return this.judgement.state !== this.#stored
  }

  storedAs(state: Judgement['state']): void {
    this.#stored = state
  }

  /** Another address, or another question, is judged from the beginning; what is stored stays until that is decided. */
  replan(check: RouteCheck, { address, state }: DestinationRecord, tunnel: TunnelBehind | null): void {
    const { fall, rise, interval_ms, kind, port } = check
    const checked = `${kind} ${port ?? ''}`
    this.#stored = state
    if (address !== this.#address || (this.#checked !== '' && checked !== this.#checked)) {
      this.judgement = { ...UNDECIDED, state }
      this.history = new CheckHistory()
    }
    this.#address = address
    this.#checked = checked
    this.rules = { fall, rise, interval_ms }
    this.tunnel = tunnel
  }

  change(route_destination_id: number): StateChange {
    const { state, reason, flips } = this.judgement
    return {
      route_rule_id: this.route_rule_id,
      route_destination_id,
      from: this.#stored,
      to: state,
      reason,
      flips: flips.length,
    }
  }
}

/** Null of a destination that is not checked. */
export function subscriptionOf(record: RouteRecord, destination: DestinationRecord): Subscription | null {
  const { check } = record
  const { address, port, route_destination_id: id } = destination
  if (!record.is_enabled || !check?.is_enabled || !isActive(destination) || address === '') return null
  const { kind, path, host, expect_status, interval_ms, timeout_ms } = check
  const target = {
    kind,
    address,
    port: kind === 'icmp' ? 0 : (check.port ?? port),
    source: sourceOf(record),
    path,
    host,
    expect_status,
  }
  return { id, target, interval_ms, timeout_ms }
}

/** The address that the rule gives its packets, where this host has it. */
const sourceOf = ({ snat_address }: RouteRecord): string | null =>
  snat_address !== null && ownAddresses().has(snat_address) ? snat_address : null

const ownAddresses = (): Set<string> =>
  new Set(
    Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).map(({ address }) => canonicalIp(address.split('%')[0] ?? '')),
    ),
  )
