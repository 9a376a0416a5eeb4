// A change of a tunnel as the operator is shown it before and after: steps, the way back, files and checks
// (decisions.md, R17, R18, R20).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { CheckView, PlanView, VerificationView } from '@panel/shared/api/tunnels/answers.ts'
import type { StepView } from '@panel/shared/api/base/step.ts'
import type { HelperFacts } from '@panel/shared/host/model.ts'
import type { FileKind, TunnelState } from '@panel/shared/tunnel/model.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import { checkMessage, type Check } from '@panel/shared/change/check.ts'
import { describe } from '@panel/shared/tunnel/describe.ts'
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import { checkTunnels, changedNames, planChange, asStates } from '@panel/shared/tunnel/plans.ts'
import { savedFileName, isNetworkdKind, renderFile } from '@panel/shared/tunnel/saved-file.ts'
import { message, reference, messageFields, type Message } from '@panel/shared/messages/message.ts'

/** The folders of tunnels' files. */
export type Folders = Pick<HelperFacts, 'unit_dir' | 'networkd_dir'>

/** What is shown around the steps. */
export interface Frame {
  readonly interface_name: string
  /** Null in a preview: there is none yet. */
  readonly tunnel_id: number | null
  readonly folders: Folders
  readonly warnings: readonly Warning[]
  /** Why the link is recreated, in the words of the operator's confirmation; else as the plan has it. */
  readonly reasons?: readonly Message[]
}

export function planView(
  change: Change<TunnelState>,
  { interface_name, tunnel_id, folders, warnings, reasons }: Frame,
): PlanView {
  const plan = planChange(change)
  const { after } = asStates(change)
  const names = [...new Set([...changedNames(asStates(change)), interface_name])]
  const why = reasons?.length ? reasons : plan.recreate_reasons.map((field) => message('tunnel.field', { field }))
  const stepView = stepViewIn(folders)
  return {
    operation: plan.operation,
    interface: interface_name,
    tunnel_id,
    steps: plan.steps.map(stepView),
    rollback: planChange(invert(change)).steps.map(stepView),
    files: plan.steps.flatMap((step) => fileView(folders, step)),
    verification: checkTunnels(names, after, after).map(({ name, expected }) => ({ name, expected })),
    requires_recreate: why.length > 0,
    recreate_reasons: why.map((reason) => reason.message),
    recreate_messages: [...why],
    warnings: [...warnings],
  }
}

/** Several plans, each from where the one before it ends, shown as one. */
export function joinPlans(plans: readonly PlanView[]): PlanView {
  const [first, ...rest] = plans
  if (!first) throw new Error('There is no plan to show')
  return rest.reduce(
    (before, after) => ({
      ...after,
      operation: before.operation === 'none' ? after.operation : before.operation,
      steps: [...before.steps, ...after.steps],
      rollback: [...after.rollback, ...before.rollback],
      files: [...before.files, ...after.files],
      requires_recreate: before.requires_recreate || after.requires_recreate,
      recreate_reasons: [...before.recreate_reasons, ...after.recreate_reasons],
      recreate_messages: [...before.recreate_messages, ...after.recreate_messages],
    }),
    first,
  )
}

const stepViewIn =
  (folders: Folders) =>
  (step: TunnelStep): StepView => {
    const { file, description, ...rest } = describe(step)
    const view = { ...rest, description: description.message, ...reference(description) }
    return file === undefined ? view : { ...view, path: pathOf(folders, file, step.interface_name) }
  }

function fileView(folders: Folders, step: TunnelStep): PlanView['files'] {
  if (step.kind !== 'file_write') return []
  const { interface_name, saved } = step
  return [
    { kind: saved.file, path: pathOf(folders, saved.file, interface_name), content: renderFile(interface_name, saved) },
  ]
}

export const pathOf = ({ unit_dir, networkd_dir }: Folders, kind: FileKind, interface_name: string): string =>
  `${isNetworkdKind(kind) ? networkd_dir : unit_dir}/${savedFileName(kind, interface_name)}`

export function verificationView(checks: readonly Check[], oper_state: string): VerificationView {
  // Every check is fatal: one that fails has the whole change put back.
  const views: CheckView[] = checks.map((check) => ({
    name: check.name,
    ok: check.ok,
    fatal: true,
    skipped: false,
    expected: check.expected,
    actual: check.actual,
    ...messageFields('detail', checkMessage(check)),
  }))
  const failures = views.filter(({ ok }) => !ok)
  return { ok: failures.length === 0, checks: views, failures, oper_state }
}
