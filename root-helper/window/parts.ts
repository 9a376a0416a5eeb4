// How the states of each noun divide into what a window remembers by itself: a tunnel, a rule, a network, the switches.
import type { HostForwarding } from '@panel/shared/forwarding/host.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { folded, type Fold, type Parts } from '@panel/shared/change/fold.ts'
import { networksOrNull } from '@panel/shared/network/canonical.ts'
import type { NetworkState, NetworkStates } from '@panel/shared/network/model.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { statesOrNull, type TunnelStates } from '@panel/shared/tunnel/plans.ts'
import type { Owner } from '../nouns/tunnel/ownership.ts'
import type { HostRules } from '../nouns/ruleset/subject.ts'

export const tunnelParts: Parts<TunnelStates, TunnelState> = {
  divide: (states) => new Map((states ?? []).map((state) => [state.interface_name, state])),
  join: statesOrNull,
}

/** What the host holds of one rule. */
interface HostRule {
  readonly rule: RelayRule | null
  readonly boot: RelayRule | null
  readonly piece: number | null
}

/** What others have put into the table is of no rule, and never put back. */
export const ruleParts: Parts<HostRules, HostRule> = {
  divide(state) {
    const { rules = [], boot = [], pieces = [] } = state ?? {}
    const byId = (all: readonly RelayRule[]): Map<number, RelayRule> =>
      new Map(all.map((rule) => [rule.route_rule_id, rule]))
    const [held, saved, broken] = [byId(rules), byId(boot), new Set(pieces)]
    return new Map(
      [...new Set([...held.keys(), ...saved.keys(), ...broken])].map((id) => [
        `${id}`,
        { rule: held.get(id) ?? null, boot: saved.get(id) ?? null, piece: broken.has(id) ? id : null },
      ]),
    )
  },
  join(parts) {
    if (parts.length === 0) return null
    return {
      rules: parts.flatMap(({ rule }) => rule ?? []).sort(inOrder),
      boot: parts.flatMap(({ boot }) => boot ?? []).sort(inOrder),
      pieces: parts.flatMap(({ piece }) => piece ?? []).sort((a, b) => a - b),
      strays: [],
    }
  },
}

export const networkParts: Parts<NetworkStates, NetworkState> = {
  divide: (states) => new Map((states ?? []).map((state) => [state.destination, state])),
  join: networksOrNull,
}

export const forwardingParts: Parts<HostForwarding, HostForwarding> = {
  divide: (state) => new Map(state ? [['', state]] : []),
  join: ([state]) => state ?? null,
}

export const ownershipParts: Parts<readonly Owner[], Owner> = {
  divide: (owners) => new Map((owners ?? []).map((owner) => [owner.interface_name, owner])),
  join: (owners) => (owners.length === 0 ? null : owners),
}

/** A noun that is not here, as the hand-over between backends when the helper starts, is never part of a window. */
export const PARTS: Readonly<Record<string, Parts<unknown, unknown>>> = {
  tunnel: tunnelParts as Parts<unknown, unknown>,
  ownership: ownershipParts as Parts<unknown, unknown>,
  ruleset: ruleParts as Parts<unknown, unknown>,
  network: networkParts as Parts<unknown, unknown>,
  forwarding: forwardingParts as Parts<unknown, unknown>,
}

/**
 * The fold with one more change, for the way back alone. What was made in the window and goes again keeps what it was:
 * a change that is cut short leaves it there, and a fold of nothing on either side would not name it.
 */
export function remembered<S, P>(fold: Fold<P>, change: Change<S>, parts: Parts<S, P>): Fold<P> {
  const all = new Map(folded(fold, change, parts))
  for (const [key, was] of parts.divide(change.before)) {
    const part = all.get(key)
    if (part?.before === null && part.after === null) all.set(key, { before: null, after: was })
  }
  return all
}
