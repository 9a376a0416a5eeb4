// Tunnels as a subject of the transaction.
import { canonicalTunnel } from '@panel/shared/model/canonical-tunnel.ts'
import type { TunnelFound } from '@panel/shared/model/observed.ts'
import type { TunnelState } from '@panel/shared/model/tunnel.ts'
import type { TunnelStep } from '@panel/shared/plan/step.ts'
import { checkTunnel } from '@panel/shared/plan/tunnel-facts.ts'
import { planTunnel } from '@panel/shared/plan/tunnel.ts'
import { unitNameOf } from '@panel/shared/render/systemd-unit.ts'
import type { Kernel } from '../kernel/facilities.ts'
import { allowTunnel, nameIn, sound } from '../policy.ts'
import { RefusedError } from '../refused.ts'
import type { Subject } from '../subject.ts'
import { executeTunnelStep } from './execute.ts'
import { probeTunnel } from './probe.ts'

export function tunnelSubject(kernel: Kernel): Subject<TunnelState, TunnelFound, TunnelStep> {
  return {
    noun: 'tunnel',
    canonical: soundly,
    probe: (change) => probeTunnel(kernel, nameIn(change)),
    plan: (found, wanted) => planTunnel(found, wanted).steps,
    check: (change, wanted, found) => checkTunnel(nameIn(change), wanted, found),
    allow: (_change, found, steps) => allowTunnel(kernel.links, found, steps),
    execute: (step) => executeTunnelStep(kernel, step),
    remedy: (change) => remedy(nameIn(change)),
  }
}

function soundly(state: TunnelState | null): TunnelState | null {
  try {
    const canonical = canonicalTunnel(state)
    if (canonical) sound(canonical)
    return canonical
  } catch (error) {
    if (error instanceof RangeError) throw new RefusedError('malformed', error.message)
    throw error
  }
}

const remedy = (name: string): string[] => [
  `Look at what is there: ip -d link show dev ${name}; ip address show dev ${name}`,
  `Look at what boot would make: systemctl cat ${unitNameOf(name)}`,
  'Remove what should not be there, then reapply the tunnel or delete it in the panel.',
]
