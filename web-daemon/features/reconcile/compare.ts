// Compares one stored tunnel with what the host holds under its name: drift is a plan that has steps. Pure.
import { APPLY_STATUSES, type ReconcileStatus } from '@panel/shared/api/base/lookups.ts'
import type { ReconcileDiff } from '@panel/shared/api/reconcile.ts'
import { FILE_KINDS, LINK_KINDS, type TunnelState } from '@panel/shared/tunnel/model.ts'
import { failedChecks } from '@panel/shared/change/check.ts'
import { checkTunnel } from '@panel/shared/tunnel/facts.ts'
import { planTunnel, type TunnelPlan } from '@panel/shared/tunnel/plan.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import type { Found } from './host.ts'

export interface Comparison {
  readonly status: ReconcileStatus
  readonly detail: string
  readonly diffs: ReconcileDiff[]
}

type Stored = Pick<TunnelRecord, 'interface_name' | 'is_enabled' | 'apply_status_id' | 'last_apply_error'>

/**
 * Where the digests are equal `found.state` is `wanted` itself. That is so for thousands, and they are not planned for.
 */
const NOTHING_TO_DO: TunnelPlan = { operation: 'none', steps: [], recreate_reasons: [] }

/** Both states are canonical. */
export function compareTunnel(stored: Stored, wanted: TunnelState, found: Found): Comparison {
  const plan = found.state === wanted ? NOTHING_TO_DO : planTunnel(found.state, wanted)
  const diffs = plan.steps.length === 0 ? [] : differences(stored.interface_name, wanted, found.state)
  const reason = reasonInconsistent(stored, found, plan)
  if (reason !== null) return { status: 'Inconsistent', detail: reason, diffs }
  if (plan.steps.length === 0) return { status: 'InSync', detail: 'The host holds what is stored.', diffs }
  if (!found.state?.link) return { status: 'Missing', detail: missing(stored), diffs }
  return { status: 'Drifted', detail: drifted(diffs, found, plan), diffs }
}

/** Why a reapply could not simply correct it; null where it could. */
function reasonInconsistent(
  { interface_name, apply_status_id, last_apply_error }: Stored,
  { observed, foreign_files }: Found,
  { steps }: TunnelPlan,
): string | null {
  if (observed && !(LINK_KINDS as readonly string[]).includes(observed.kind)) {
    return `${interface_name} is an interface of another kind on this server (${observed.kind || 'no kind'}). Rename or remove it, then reapply the tunnel, or forget the tunnel.`
  }
  // The rest of the steps concern the link.
  const concernsFiles = steps.some(({ kind }) => !kind.startsWith('link_') && !kind.startsWith('address_'))
  const strange = foreign_files.filter((file) => !file.endsWith('.d'))
  if (strange.length > 0 && concernsFiles) {
    return `${strange.join(', ')} was not written by the panel, or was edited since, and is left alone. Move it aside, then reapply the tunnel, or forget the tunnel.`
  }
  const overriding = foreign_files.find((file) => file.endsWith('.d'))
  if (overriding !== undefined) {
    return `The drop-ins in ${overriding} change what a file of the panel's says, so that a boot or a restart may make something else. Remove them ("systemctl revert" does that for a unit), or forget the tunnel.`
  }
  if (apply_status_id !== APPLY_STATUSES.Inconsistent) return null
  return `A change did not work and could not be undone either: ${last_apply_error || 'the reason is not known'} Reapply takes the host to what is stored.`
}

/** Where one side is not there at all, that is the difference, and not each of its fields. */
function differences(interface_name: string, wanted: TunnelState, found: TunnelState | null): ReconcileDiff[] {
  const failures = failedChecks(checkTunnel(interface_name, wanted, found))
  const differs = (name: string): boolean => failures.some((check) => check.name === name)
  const reported = failures.filter(({ name }) => {
    const kind = FILE_KINDS.find((one) => name.startsWith(`${one}.`))
    if (!kind) return name === 'saved' || name === 'exists' || !differs('exists')
    const isOnBothSides = Boolean(wanted.saved?.[kind] && found?.saved?.[kind])
    return isOnBothSides && (!differs(`${kind}.file`) || [`${kind}.file`, `${kind}.is_enabled`].includes(name))
  })
  return reported.map(({ name, expected, actual }) => ({ field: name, desired: expected, actual }))
}

function missing({ interface_name, is_enabled }: Stored): string {
  const why = is_enabled ? '' : ' The tunnel is down, so no boot brings it back.'
  return `There is no interface ${interface_name} on this server.${why} Reapply makes it.`
}

const MOST_NAMED = 5

function drifted(diffs: readonly ReconcileDiff[], { unmodelled }: Found, { recreate_reasons }: TunnelPlan): string {
  const named = diffs
    .slice(0, MOST_NAMED)
    .map(({ field, desired, actual }) => `${field} is ${actual} in the place of ${desired}`)
  const more = diffs.length > MOST_NAMED ? [`${diffs.length - MOST_NAMED} more`] : []
  const text = `${[...named, ...more].join('; ')}.`
  if (recreate_reasons.length === 0) return `${text} Reapply puts it right in place.`
  if (unmodelled.length === 0) return `${text} Reapply recreates the link.`
  return `${text} Only a new link can be as stored, and it would lose what the panel cannot keep (${unmodelled.join(', ')}): reapply is refused while it carries that.`
}
