// A change of a tunnel as the operator is shown it before and after: steps, the way back, files and checks (decisions.md, R17, R18, R20).
import type { Warning } from '@panel/shared/api/errors.ts'
import type { CheckView, PlanView, StepView, VerificationView } from '@panel/shared/api/tunnel-answers.ts'
import type { TunnelState } from '@panel/shared/model/tunnel.ts'
import type { Change } from '@panel/shared/plan/change.ts'
import type { Check } from '@panel/shared/plan/check.ts'
import { describe } from '@panel/shared/plan/describe.ts'
import type { TunnelStep } from '@panel/shared/plan/step.ts'
import { checkTunnel } from '@panel/shared/plan/tunnel-facts.ts'
import { planTunnel } from '@panel/shared/plan/tunnel.ts'
import { renderSystemdUnit, unitNameOf } from '@panel/shared/render/systemd-unit.ts'

export interface Frame {
  readonly interface_name: string
  /** Null in a preview: there is none yet. */
  readonly tunnel_id: number | null
  readonly unit_dir: string
  readonly warnings: readonly Warning[]
}

export function planView({ before, after }: Change<TunnelState>, { interface_name, tunnel_id, unit_dir, warnings }: Frame): PlanView {
  const plan = planTunnel(before, after)
  const stepView = stepViewIn(unit_dir)
  return {
    operation: plan.operation,
    interface: interface_name,
    tunnel_id,
    steps: plan.steps.map(stepView),
    rollback: planTunnel(after, before).steps.map(stepView),
    files: plan.steps.flatMap((step) => fileView(unit_dir, step)),
    verification: checkTunnel(interface_name, after, after).map(({ name, expected }) => ({ name, expected })),
    requires_recreate: plan.recreate_reasons.length > 0,
    recreate_reasons: [...plan.recreate_reasons],
    warnings: [...warnings],
  }
}

const stepViewIn = (unit_dir: string) => (step: TunnelStep): StepView => {
  const { file, ...said } = describe(step)
  return file === undefined ? said : { ...said, path: `${unit_dir}/${file}` }
}

function fileView(unit_dir: string, step: TunnelStep): PlanView['files'] {
  if (step.kind !== 'file_write') return []
  const name = step.interface_name
  return [{ kind: 'systemd_unit', path: unitPath(unit_dir, name), content: renderSystemdUnit(name, step.config) }]
}

export const unitPath = (unit_dir: string, interface_name: string): string => `${unit_dir}/${unitNameOf(interface_name)}`

export function verificationView(checks: readonly Check[], oper_state: string): VerificationView {
  // Every check is fatal: one that fails has the whole change put back.
  const views: CheckView[] = checks.map(({ name, ok, expected, actual, detail }) => ({ name, ok, fatal: true, skipped: false, expected, actual, detail }))
  const failures = views.filter(({ ok }) => !ok)
  return { ok: failures.length === 0, checks: views, failures, oper_state }
}
