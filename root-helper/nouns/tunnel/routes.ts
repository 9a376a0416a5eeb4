// The routes of other programs through tunnels, which a change that makes a link again takes along.
import type { Change } from '@panel/shared/change/change.ts'
import type { RoutesThrough } from '@panel/shared/tunnel/carry-routes.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { statesOrNull, type TunnelStates } from '@panel/shared/tunnel/plans.ts'
import type { Kernel, Links } from '../../kernel/facilities.ts'
import { requireNames } from '../../policy.ts'
import { probeTunnels } from './probe.ts'

type RouteReader = Pick<Links, 'routesThrough'>

export async function routesThrough(links: RouteReader, names: readonly string[]): Promise<RoutesThrough> {
  return new Map(await Promise.all(names.map(async (name) => [name, await links.routesThrough(name)] as const)))
}

export interface FoundTunnels {
  /** What exists under the names of the change, in their order. */
  readonly state: TunnelStates | null
  readonly tunnels: readonly TunnelFound[]
}

export async function probeWithRoutes(kernel: Kernel, change: Change<TunnelStates>): Promise<FoundTunnels> {
  const tunnels = await probeTunnels(kernel, requireNames(change))
  const states = tunnels.map(({ state }) => state).filter((state) => state !== null)
  return { tunnels, state: statesOrNull(await withRoutes(kernel.links, change, states)) }
}

/** Adds the routes under the names that the change is about: no other change pays for reading them. */
function withRoutes(
  links: RouteReader,
  { before, after }: Change<TunnelStates>,
  found: readonly TunnelState[],
): Promise<TunnelState[]> {
  const names = [...(before ?? []), ...(after ?? [])].flatMap(({ interface_name, link }) =>
    link?.routes ? [interface_name] : [],
  )
  return Promise.all(
    found.map(async (state) =>
      state.link && names.includes(state.interface_name)
        ? { ...state, link: { ...state.link, routes: await links.routesThrough(state.interface_name) } }
        : state,
    ),
  )
}
