// Tunnels as a subject of the transaction.
import { message } from '@panel/shared/messages/message.ts'
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import { carryRoutes, dropsRoutes } from '@panel/shared/tunnel/carry-routes.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import { checkTunnels, statesOrNull, planTunnels, type TunnelStates } from '@panel/shared/tunnel/plans.ts'
import { savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { allowTunnels, requireNames, checkConsistency } from '../../policy.ts'
import { allowReach } from '../../reach.ts'
import { RefusedError } from '../../refused.ts'
import type { Subject } from '../../subject.ts'
import { allowTunnelLimits } from './limits.ts'
import { allowAnswers } from './allow-answers.ts'
import { CarriedSysctls } from './carried-sysctls.ts'
import { executeTunnelStep } from './execute.ts'
import { newLinks } from './new-links.ts'
import { recallOwn, requireOwn } from './ownership.ts'
import { probeWithRoutes, routesThrough, type FoundTunnels } from './routes.ts'
import { refuseSameEnds } from './same-ends.ts'

/**
 * The subject for tunnels. Its state is a list, since a change that renames a tunnel concerns two names: the new one
 * must be free before, and the old one after.
 */
export function tunnelSubject(
  kernel: Kernel,
  sysctls = new CarriedSysctls(kernel),
): Subject<TunnelStates, FoundTunnels, TunnelStep> {
  return {
    noun: 'tunnel',
    canonical: (states) => statesOrNull((states ?? []).map(canonicalOrRefused).filter((state) => state !== null)),
    probe: (change) => probeWithRoutes(kernel, change),
    carry: async (change, isKept) =>
      isKept || dropsRoutes(change)
        ? carryRoutes(change, await routesThrough(kernel.links, requireNames(change)))
        : change,
    plan: (found, wanted) => planTunnels(found, wanted).steps,
    otherWay: (change, wanted, failed) => newLinks(kernel, change, wanted, failed),
    check: (change, wanted, found) => checkTunnels(requireNames(change), wanted, found),
    allow: async ({ after }, { tunnels }, steps) => {
      sysctls.forget()
      await refuseSameEnds(kernel.links, tunnels, steps)
      await allowAnswers(kernel, tunnels, after, steps)
      await allowReach(kernel, tunnels, after)
      await allowTunnels(kernel.links, tunnels, after, steps)
      await allowTunnelLimits(kernel, tunnels, after)
      await requireOwn(kernel, tunnels)
    },
    rehearse: ({ before, after }, { tunnels }) =>
      allowTunnels(kernel.links, tunnels, before, planTunnels(after, before).steps),
    recall: (change) => recallOwn(kernel, requireNames(change), change),
    execute: (step) => sysctls.across(step, () => executeTunnelStep(kernel, step)),
    remedy: (change) => [...requireNames(change).flatMap(howToLook), message('root.remove_rest').message],
  }
}

function canonicalOrRefused(state: TunnelState): TunnelState | null {
  try {
    const canonical = canonicalTunnel(state)
    if (canonical) checkConsistency(canonical)
    return canonical
  } catch (error) {
    if (error instanceof RangeError) throw new RefusedError('malformed', error.message)
    throw error
  }
}

function howToLook(name: string): string[] {
  const [unit, netdev, network] = (['systemd_unit', 'networkd_netdev', 'networkd_network'] as const).map((file) =>
    savedFileName(file, name),
  )
  return [
    message('root.look', { commands: `ip -d link show dev ${name}; ip address show dev ${name}` }).message,
    message('root.look_at_boot', { commands: `systemctl cat ${unit}; networkctl cat ${netdev} ${network}` }).message,
  ]
}
