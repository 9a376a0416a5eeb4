// Compares stored networks with what root keeps of them: the part of reconciliation that concerns networks.
import { APPLY_STATUSES, type ReconcileStatus } from '@panel/shared/api/base/lookups.ts'
import type { NetworkFinding } from '@panel/shared/api/networks/findings.ts'
import { failedChecks } from '@panel/shared/change/check.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { message, sentences, type Message } from '@panel/shared/messages/message.ts'
import { whole } from '@panel/shared/network/canonical.ts'
import type { NetworkFound, NetworkState } from '@panel/shared/network/model.ts'
import { checkNetworks } from '@panel/shared/network/plan.ts'
import { lackViews } from './lacks.ts'
import { canCarry, stateOf, type NetworkRecord, type PathTunnels } from './record.ts'

export interface Comparison {
  readonly status: ReconcileStatus
  readonly sentence: Message
  readonly diffs: NetworkFinding['diffs']
  /** Whether nothing reaches the network, as far as this server goes: the kernel holds no route of it. */
  readonly isCut: boolean
}

/** `found` null: root keeps nothing under the destination. */
export function compareNetwork(record: NetworkRecord, tunnels: PathTunnels, found: NetworkFound | null): Comparison {
  const held = found && { ...found, state: withoutDisabled(found.state, record, tunnels) }
  const wanted = wantedState(record, tunnels, held)
  if (isSame(wanted, held)) return { status: 'InSync', sentence: message('drift.in_sync'), diffs: [], isCut: false }
  const diffs = differences(record.destination, wanted, held?.state ?? null)
  const isCut = wanted !== null && !held?.held
  if (record.apply_status_id === APPLY_STATUSES.Inconsistent)
    return {
      status: 'Inconsistent',
      sentence: message('drift.stuck', { why: record.last_apply_error_message }),
      diffs,
      isCut,
    }
  if (!held) return { status: 'Missing', sentence: message('drift.network_missing'), diffs, isCut }
  if (!wanted) return { status: 'Drifted', sentence: message('drift.network_disabled_held'), diffs, isCut }
  return { status: 'Drifted', sentence: drifted(wanted, held, diffs), diffs, isCut }
}

const isSame = (wanted: NetworkState | null, held: NetworkFound | null): boolean =>
  wanted ? sameState(held?.state, wanted) : held === null

/** If every tunnel is down, none of the paths carries, and root keeps those that did last. */
function wantedState(record: NetworkRecord, tunnels: PathTunnels, held: NetworkFound | null): NetworkState | null {
  const wanted = stateOf(record, tunnels)
  return wanted && held && !canCarry(record, tunnels) ? { ...wanted, paths: held.state.paths } : wanted
}

/** A path whose tunnel is disabled is down because the operator wants that, and so is the route over such paths alone. */
function withoutDisabled(state: NetworkState, { paths }: NetworkRecord, tunnels: PathTunnels): NetworkState {
  const down = paths.flatMap(({ tunnel_id }) => {
    const tunnel = tunnels.get(tunnel_id)
    return tunnel && !tunnel.is_enabled ? [tunnel.interface_name] : []
  })
  if (!canCarry({ paths }, tunnels)) down.push('route')
  return { ...state, lacks: state.lacks.filter((what) => !down.includes(what)) }
}

const differences = (
  destination: string,
  wanted: NetworkState | null,
  held: NetworkState | null,
): NetworkFinding['diffs'] =>
  failedChecks(checkNetworks([destination], wanted && [wanted], held && [held])).map(({ name, expected, actual }) => ({
    field: name,
    desired: expected,
    actual,
  }))

function drifted(wanted: NetworkState, held: NetworkFound, diffs: NetworkFinding['diffs']): Message {
  const kept = sameState(whole(held.state), wanted) ? [] : diffs.filter(({ field }) => field !== 'lacks')
  const named = kept.map((diff) => message('drift.field', diff))
  const lacks = lackViews(held).map(({ detail_message }) => detail_message)
  const [first, ...others] = named
  const differs =
    first &&
    message('drift.in_place', {
      differences: others.reduce((before, one) => message('tunnel.both', { first: before, second: one }), first),
    })
  return sentences(differs ?? null, ...lacks, differs ? null : message('drift.network_reapply'))
}
