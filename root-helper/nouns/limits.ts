// What root allows on this host, and how much of it is used up.
import { drawnBy, networkSums } from '@panel/shared/limits/judge.ts'
import type { LimitsFound, LimitsUsed } from '@panel/shared/limits/model.ts'
import { elementsOf } from '@panel/shared/ruleset/elements.ts'
import type { Kernel } from '../kernel/facilities.ts'
import { readableRuleset } from '../policy.ts'
import { ownPortsOf } from './ruleset/limits.ts'
import { addressesOfTunnels } from './tunnel/limits.ts'

export async function findLimits({ limits, ownAccess }: Pick<Kernel, 'limits' | 'ownAccess'>): Promise<LimitsFound> {
  const { fault, ...now } = limits.read()
  const { sshd, panel } = ownPortsOf(await ownAccess.configured())
  return {
    ...now,
    fault: fault?.message ?? '',
    own_ports: { sshd: [...new Set(sshd)], panel: [...new Set(panel)] },
    name_servers: await ownAccess.resolvers(),
  }
}

/** Refused if the relay rules cannot be read. */
export async function findUsed(kernel: Kernel): Promise<LimitsUsed> {
  const held = await kernel.rulesets.read()
  readableRuleset(held)
  const [tunnels, { limits }] = [await addressesOfTunnels(kernel), kernel.limits.read()]
  return {
    ...networkSums(limits, tunnels.values(), kernel.networks.kept()),
    drawn: drawnBy(limits, tunnels),
    tunnels: tunnels.size,
    rules: held.rules.length,
    elements: held.rules.reduce((sum, rule) => sum + elementsOf(rule), 0),
  }
}
