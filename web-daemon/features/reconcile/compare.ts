// Compares one stored tunnel with what the host holds under its name: drift is a plan that has steps. Pure.
import { APPLY_STATUSES, type ReconcileStatus } from '@panel/shared/api/base/lookups.ts'
import type { ReconcileDiff } from '@panel/shared/api/reconcile.ts'
import { FILE_KINDS, LINK_KINDS, type TunnelState } from '@panel/shared/tunnel/model.ts'
import { failedChecks } from '@panel/shared/change/check.ts'
import { checkTunnel } from '@panel/shared/tunnel/facts.ts'
import { planTunnel, type TunnelPlan } from '@panel/shared/tunnel/plan.ts'
import { lostFeatures } from '@panel/shared/tunnel/unmodelled.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Found } from './host.ts'

export interface Comparison {
  readonly status: ReconcileStatus
  readonly sentence: Message
  readonly diffs: ReconcileDiff[]
}

export type Compared = Pick<
  TunnelRecord,
  'interface_name' | 'is_enabled' | 'apply_status_id' | 'last_apply_error_message'
>

/**
 * The plan if the digests are equal: `found.state` is `wanted` itself. That is so for thousands, which need no
 * planning.
 */
const NOTHING_TO_DO: TunnelPlan = { operation: 'none', steps: [], recreate_reasons: [] }

/** Both states are canonical. */
export function compareTunnel(stored: Compared, wanted: TunnelState, found: Found): Comparison {
  const plan = found.state === wanted ? NOTHING_TO_DO : planTunnel(found.state, wanted)
  const diffs = plan.steps.length === 0 ? [] : differences(stored.interface_name, wanted, found.state)
  const reason = reasonInconsistent(stored, found, plan)
  if (reason !== null) return { status: 'Inconsistent', sentence: reason, diffs }
  if (plan.steps.length === 0) return { status: 'InSync', sentence: message('drift.in_sync'), diffs }
  if (!found.state?.link) return { status: 'Missing', sentence: missing(stored), diffs }
  return { status: 'Drifted', sentence: drifted(diffs, found, plan), diffs }
}

/** Why a reapply could not simply correct it; null where it could. */
function reasonInconsistent(
  { interface_name, apply_status_id, last_apply_error_message: why }: Compared,
  { observed, foreign_files }: Found,
  { steps }: TunnelPlan,
): Message | null {
  if (observed && !(LINK_KINDS as readonly string[]).includes(observed.kind)) {
    return message('drift.other_kind', { name: interface_name, kind: observed.kind || message('drift.no_kind') })
  }
  // The rest of the steps concern the link, and what is answered through it.
  const concernsFiles = steps.some(({ kind }) => !/^(link|address|answers)_/.test(kind))
  const strange = foreign_files.filter((file) => !file.endsWith('.d'))
  if (strange.length > 0 && concernsFiles) {
    return message('drift.foreign_files', { files: strange.join(', ') })
  }
  const overriding = foreign_files.find((file) => file.endsWith('.d'))
  if (overriding !== undefined) {
    return message('drift.drop_ins', { folder: overriding })
  }
  if (apply_status_id !== APPLY_STATUSES.Inconsistent) return null
  return message('drift.stuck', { why: why.message === '' ? message('panel.reason_unknown') : why })
}

/** The differences. If one side does not exist at all, that is the difference, and not each of its fields. */
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

function missing({ interface_name, is_enabled }: Compared): Message {
  return message(is_enabled ? 'drift.missing' : 'drift.missing_disabled', { name: interface_name })
}

const MOST_NAMED = 5

function drifted(
  diffs: readonly ReconcileDiff[],
  { unmodelled }: Found,
  { recreate_reasons, steps }: TunnelPlan,
): Message {
  const named = diffs
    .slice(0, MOST_NAMED)
    .map(({ field, desired, actual }) => message('drift.field', { field, desired, actual }))
  const more = diffs.length > MOST_NAMED ? [message('drift.more', { count: diffs.length - MOST_NAMED })] : []
  const differences = [...named, ...more].reduce((first, second) => message('tunnel.both', { first, second }))
  const lost = lostFeatures(unmodelled, steps)
  if (lost.length > 0) return message('drift.would_lose', { differences, what: lost.join(', ') })
  return message(recreate_reasons.length === 0 ? 'drift.in_place' : 'drift.recreated', { differences })
}
