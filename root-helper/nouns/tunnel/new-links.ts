// New links for those whose outer header the kernel does not change in place: within the same transaction, and with the
// routes of other programs.
import type { Change } from '@panel/shared/change/change.ts'
import { carryRoutes } from '@panel/shared/tunnel/carry-routes.ts'
import { planTunnels, type TunnelStates } from '@panel/shared/tunnel/plans.ts'
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import { lostFeatures } from '@panel/shared/tunnel/unmodelled.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import type { FailedWay } from '../../subject.ts'
import { probeWithRoutes } from './routes.ts'
import { linkBetweenSameEnds } from './same-ends.ts'

interface NewLinks {
  readonly wanted: TunnelStates | null
  readonly steps: readonly TunnelStep[]
}

/** Null if something else has failed, if a new link would lose something, or if the kernel would refuse it too. */
export async function newLinks(
  kernel: Kernel,
  change: Change<TunnelStates>,
  after: TunnelStates | null,
  { steps_done, failed_step }: FailedWay,
): Promise<NewLinks | null> {
  const isReadOtherwise = failed_step === '' && steps_done.includes('link_set')
  if (failed_step !== 'link_set' && !isReadOtherwise) return null
  const { before } = change
  const through = new Map((before ?? []).map(({ interface_name, link }) => [interface_name, link?.routes ?? []]))
  const { after: wanted } = carryRoutes({ before, after }, through, 'new_link')
  const found = await probeWithRoutes(kernel, change)
  const { steps } = planTunnels(found.state, wanted, 'new_link')
  const isHeader = steps.some(({ kind }) => kind === 'link_delete') && steps.some(({ kind }) => kind === 'link_create')
  const isLosing = found.tunnels.some(({ unmodelled }) => lostFeatures(unmodelled, steps).length > 0)
  if (!isHeader || isLosing || (await linkBetweenSameEnds(kernel.links, found.tunnels, steps))) return null
  return { wanted, steps }
}
