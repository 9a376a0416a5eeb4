// The health of rules, by criteria in a fixed order of importance (decisions.md, S7).
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { RouteHealthState, RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { failedChecks } from '@panel/shared/change/check.ts'
import { checkRuleset } from '@panel/shared/ruleset/facts.ts'
import type { ForwardingSwitches } from '@panel/shared/forwarding/model.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { observe } from '../../tunnels/view.ts'
import { nullIfHelperAway } from '../../../platform/helper/away.ts'
import { readKernelRules, type KernelRules } from '../kernel-rules.ts'
import { familyOf, ruleOf, type RouteRecord } from '../record.ts'
import { readPaths, type Paths } from '../path.ts'
import { findShadows } from './shadows.ts'

type Tunnel = NonNullable<RouteHealthView['tunnel']> & { readonly is_known: boolean }

interface AlreadyRead {
  readonly rules?: KernelRules
  readonly paths?: Paths
}

export async function readHealth(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  records: readonly RouteRecord[],
  read: AlreadyRead = {},
): Promise<RouteHealthView[]> {
  if (records.length === 0) return []
  const { tunnelsOf, nameOf } = read.paths ?? (await readPaths({ db, request }))
  const namesOf = (record: RouteRecord): string[] => tunnelsOf(record).flatMap((id) => nameOf(id) ?? [])
  const ids = records.map(({ route_rule_id }) => route_rule_id)
  const [held, forwarding, observed, shadows] = await Promise.all([
    read.rules ?? nullIfHelperAway(readKernelRules(request, ids)),
    nullIfHelperAway(request('forwarding.probe', {})),
    observe(request, [...new Set(records.flatMap(namesOf))]),
    findShadows(db, ids),
  ])
  return records.map((record) => {
    const tunnels = tunnelsOf(record).flatMap((tunnel_id): Tunnel[] => {
      const interface_name = nameOf(tunnel_id)
      if (interface_name === undefined) return []
      const { is_up, oper_state, is_known } = observed(interface_name)
      return [{ tunnel_id, interface_name, is_up, oper_state, is_known }]
    })
    const tunnel = tunnels.find(({ is_up, is_known }) => is_known && !is_up) ?? tunnels[0] ?? null
    return healthView(record, {
      held,
      forwarding: forwarding?.state.live ?? null,
      tunnel,
      deletedTunnel: tunnelsOf(record).find((id) => nameOf(id) === undefined) ?? null,
      shadows: shadows.get(record.route_rule_id) ?? [],
    })
  })
}

interface ObservedRoute {
  /** Null if the helper is away. */
  readonly held: KernelRules | null
  readonly forwarding: ForwardingSwitches | null
  /** That of its path; of several one that is down. */
  readonly tunnel: Tunnel | null
  /** Which the rule names. */
  readonly deletedTunnel: number | null
  readonly shadows: readonly RouteRecord[]
}

function healthView(record: RouteRecord, observedTunnel: ObservedRoute): RouteHealthView {
  const { route_rule_id } = record
  const { held, tunnel } = observedTunnel
  const installed = held?.is_readable ? held.rules.has(route_rule_id) : null
  const { state, detail } = verdict(record, observedTunnel)
  return { state, detail, route_rule_id, installed, tunnel: tunnel && tunnelView(tunnel) }
}

const tunnelView = ({ is_known: _known, ...tunnel }: Tunnel): RouteHealthView['tunnel'] => tunnel

interface Verdict {
  readonly state: RouteHealthState
  readonly detail: string
}

function verdict(record: RouteRecord, { held, forwarding, shadows, ...path }: ObservedRoute): Verdict {
  const { apply_status_id: status, last_apply_error: error } = record
  if (!record.is_enabled) return { state: 'disabled', detail: 'The rule is disabled: it is stored and not in force' }
  if (status === APPLY_STATUSES.Inconsistent)
    return {
      state: 'inconsistent',
      detail: `The last change did not work and could not be undone: ${error || 'reapply the rule'}`,
    }
  if (status === APPLY_STATUSES.Failed)
    return { state: 'failed', detail: error || 'The last change did not work, and everything is as it was before' }
  if (status === APPLY_STATUSES.Pending)
    return { state: 'pending', detail: 'A change was begun, and nobody knows how it ended: reapply the rule' }
  if (!held?.is_readable)
    return {
      state: 'pending',
      detail: `The kernel's rules cannot be read: ${held?.detail || 'the root helper does not answer'}`,
    }
  return (
    inKernel(record, held) ??
    besideStrays(held) ??
    whileForwarding(record, forwarding) ??
    overTunnel(path) ?? {
      state: 'healthy',
      detail: `The kernel holds the rule as it is stored${shadowed(shadows)}`,
    }
  )
}

const shadowed = (shadows: readonly RouteRecord[]): string =>
  shadows.length === 0
    ? ''
    : `, and it can never match: it is shadowed by ${shadows.map((one) => one.route_rule_title).join(', ')}, which stands earlier`

function inKernel(record: RouteRecord, held: KernelRules): Verdict | null {
  const { route_rule_id: id } = record
  const actual = held.rules.get(id)
  const desired = ruleOf(record)
  if (actual && sameState(actual, desired)) return null
  const damaged = held.damaged.find(({ route_rule_id }) => route_rule_id === id)
  if (!actual)
    return {
      state: 'failed',
      detail: damaged
        ? `The kernel holds the rule in part: ${damaged.detail}. Reapply it`
        : 'The kernel does not hold the rule: somebody took it away. Reapply it',
    }
  const [first] = failedChecks(checkRuleset([id], desired && [desired], [actual]))
  return {
    state: 'failed',
    detail: `The kernel holds the rule otherwise than it is stored (${first?.detail ?? ''}). Reapply it`,
  }
}

/** What somebody else has put into the panel's table may drop what the rule relays, whatever it is. */
function besideStrays({ unmanaged: [first, ...more] }: KernelRules): Verdict | null {
  if (first === undefined) return null
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  return {
    state: 'impaired',
    detail: `The rule is in place, and somebody has put something of their own into the panel's table (${first}${others}): reapply the rule to take it out`,
  }
}

function whileForwarding(record: RouteRecord, forwarding: ForwardingSwitches | null): Verdict | null {
  const family = familyOf(record)
  if (!forwarding || forwarding[`ipv${family}`]) return null
  return {
    state: 'impaired',
    detail: `The rule is in place, and IPv${family} forwarding is off, so that it relays nothing: reapply the rule to turn it on`,
  }
}

function overTunnel({ tunnel, deletedTunnel }: Pick<ObservedRoute, 'tunnel' | 'deletedTunnel'>): Verdict | null {
  if (deletedTunnel !== null)
    return {
      state: 'impaired',
      detail: `The rule is in place, and the tunnel ${deletedTunnel} that it relays over is no more`,
    }
  if (!tunnel?.is_known || tunnel.is_up) return null
  return {
    state: 'impaired',
    detail: `The rule is in place, and the tunnel ${tunnel.interface_name} that it relays over is down`,
  }
}
