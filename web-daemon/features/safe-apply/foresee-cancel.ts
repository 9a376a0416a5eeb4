// What cancelling a window would do: from what the host holds now to where root remembers that it was (reference.md,
// Impact).
import type { EndSafeApplyBody } from '@panel/shared/api/safe-apply.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { keepingAdvertised, onHost } from '@panel/shared/forwarding/host.ts'
import { NOTHING_FORESEEN, type Foreseen, type HostChange } from '@panel/shared/impact/foreseen.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { planRuleset } from '@panel/shared/ruleset/plan.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { planChange } from '@panel/shared/tunnel/plans.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { WindowFound, WindowWayBack } from '@panel/shared/window/model.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import { foreseenOf, planNetworkChange } from '../networks/change.ts'
import { planRules } from '../routes/change.ts'
import { isOver } from './over.ts'
import type { SafeApply } from './safe-apply.ts'

export const foreseeCancel =
  ({ exclusive }: Pick<SafeApply, 'exclusive'>) =>
  async (context: ReadContext, { body: { window_id } }: Incoming<EndSafeApplyBody>): Promise<Foreseen> => {
    exclusive.requireNone()
    const { request, db } = context
    const found = await request('window.probe', {})
    if ((await isOver(db, found, window_id, 'cancelled')) || !found.window) return NOTHING_FORESEEN
    const back = await readWayBack(request, window_id)
    const changes = [
      ...(await tunnelChanges(request, found.window, back)),
      ...(await ruleChanges(request, found.window, back)),
      ...(await networkChanges(request, found.window, back)),
      ...(await switchChanges(request, back)),
    ]
    return { changes, warnings: [] }
  }

async function readWayBack(request: Reader, window_id: string): Promise<WindowWayBack> {
  const back = await request('window.way_back', { window_id, from_id: 0 })
  const rules = [...back.rules]
  for (let next = back.next_id; next !== null;) {
    const page = await request('window.way_back', { window_id, from_id: next })
    rules.push(...page.rules)
    next = page.next_id
  }
  return { ...back, rules }
}

type OpenWindow = NonNullable<WindowFound['window']>

/** Deletions first, as root does it: a name or endpoints may be needed by what comes back. */
async function tunnelChanges(
  request: Reader,
  { tunnels: interface_names }: OpenWindow,
  { tunnels: back }: WindowWayBack,
): Promise<HostChange[]> {
  if (interface_names.length === 0) return []
  const { tunnels } = await request('tunnel.probe', { interface_names })
  const before = new Map<string, TunnelState | null>(tunnels.map((one) => [one.interface_name, one.state]))
  const after = new Map(back.map((state) => [state.interface_name, state]))
  return interface_names
    .map((name) => ({ before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((change) => planChange(change).steps.length > 0)
    .sort((a, b) => Number(a.after !== null) - Number(b.after !== null))
    .map((change) => ({ noun: 'tunnel', change }))
}

async function ruleChanges(
  request: Reader,
  { route_rule_ids }: OpenWindow,
  { rules: back }: WindowWayBack,
): Promise<HostChange[]> {
  if (route_rule_ids.length === 0) return []
  const rules = new Map<number, RelayRule>(back.map((rule) => [rule.route_rule_id, rule]))
  const wanted = route_rule_ids.map((id) => ({ route_rule_id: id, rule: rules.get(id) ?? null, stored: null }))
  const { change } = await planRules({ request }, wanted)
  return planRuleset(change.before, change.after).length === 0 ? [] : [{ noun: 'route', change }]
}

async function networkChanges(
  request: Reader,
  { networks: destinations }: OpenWindow,
  { networks: states }: WindowWayBack,
): Promise<HostChange[]> {
  if (destinations.length === 0) return []
  return foreseenOf(await planNetworkChange(request, { destinations, states }), []).changes.slice()
}

async function switchChanges(request: Reader, { forwarding }: WindowWayBack): Promise<HostChange[]> {
  if (!forwarding) return []
  const found = await request('forwarding.probe', {})
  const before = onHost(found.state, found)
  const after = keepingAdvertised(before, forwarding)
  return sameState(before, after) ? [] : [{ noun: 'forwarding', change: { before, after } }]
}
