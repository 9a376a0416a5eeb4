// Plans and checks for all the tunnels that one change names: one, or two where it gives a tunnel another name. Pure.
import type { TunnelState } from './model.ts'
import type { Change } from '../change/change.ts'
import type { Check } from '../change/check.ts'
import { wished as wishedOne } from './canonical.ts'
import { checkTunnel } from './facts.ts'
import { onlyRoutesOf } from './routes.ts'
import { planTunnel, type TunnelPlan } from './plan.ts'
import type { Manner } from './in-place.ts'
import type { TunnelStep } from './step.ts'

/** Each under a name of its own; null is none. */
export type TunnelStates = readonly TunnelState[]

export const statesOrNull = (states: TunnelStates): TunnelStates | null => (states.length === 0 ? null : states)
export const asStates = ({ before, after }: Change<TunnelState>): Change<TunnelStates> => ({
  before: before && [before],
  after: after && [after],
})
export const changedNames = ({ before, after }: Change<TunnelStates>): string[] => [
  ...new Set([...(before ?? []), ...(after ?? [])].map((state) => state.interface_name)),
]

const named = (states: TunnelStates | null, name: string): TunnelState | null =>
  states?.find((state) => state.interface_name === name) ?? null

const wished = (states: TunnelStates | null): TunnelStates | null => states?.map(wishedOne) ?? null

/** Deletions go first: the kernel refuses a second link of a kind between the same endpoints with the same key. */
export function planTunnels(
  found: TunnelStates | null,
  wanted: TunnelStates | null,
  manner: Manner = 'in_place',
): TunnelPlan {
  const leaving = (found ?? [])
    .filter((state) => !named(wanted, state.interface_name))
    .map((state) => planTunnel(state, null))
  const arriving = (wished(wanted) ?? []).map((state) => planTunnel(named(found, state.interface_name), state, manner))
  const plans = [...leaving, ...arriving]
  // A tunnel may get the ends of another one that is made again in the same change.
  const steps = [...plans.flatMap(({ steps }) => untilGone(steps)), ...plans.flatMap(({ steps }) => sinceGone(steps))]
  if (leaving.length > 0 && arriving.length > 0)
    return { operation: 'recreate', steps, recreate_reasons: ['interface_name'] }
  return {
    operation: plans.find((plan) => plan.operation !== 'none')?.operation ?? 'none',
    steps,
    recreate_reasons: plans.flatMap((plan) => plan.recreate_reasons),
  }
}

/** Up to the step that deletes the link; nothing where none does. */
const untilGone = (steps: readonly TunnelStep[]): readonly TunnelStep[] => steps.slice(0, lengthUntilGone(steps))
const sinceGone = (steps: readonly TunnelStep[]): readonly TunnelStep[] => steps.slice(lengthUntilGone(steps))
const lengthUntilGone = (steps: readonly TunnelStep[]): number =>
  steps.findLastIndex(({ kind }) => kind === 'link_delete') + 1

export function planChange(change: Change<TunnelState>): TunnelPlan {
  const { before, after } = asStates(change)
  return planTunnels(before, after)
}

/** Checks of a name that must be absent are named "gone.exists" and so on. */
export function checkTunnels(
  names: readonly string[],
  wanted: TunnelStates | null,
  found: TunnelStates | null,
): Check[] {
  return names.flatMap((name) => {
    const state = named(wished(wanted), name)
    const checks = checkTunnel(name, state, onlyRoutesOf(state, named(found, name)))
    return wanted && !state ? checks.map((check) => ({ ...check, name: `gone.${check.name}` })) : checks
  })
}
