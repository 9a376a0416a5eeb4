// What an operator is answered where a change was not applied (decisions.md, S1 and section 4).
import { failedChecks } from '@panel/shared/change/check.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { fromRoot, message, type Param } from '@panel/shared/messages/message.ts'
import { asMessage, Refusal } from '../platform/http/refusal.ts'
import type { FailureCodes } from './resource.ts'

/** Whom an error speaks of: in its message, and in its details. */
export interface Subject {
  readonly what: Param
  readonly details: Record<string, unknown>
}

/** The refusal for an outcome that is not "applied". */
export function failureOf(outcome: Outcome, { what, details }: Subject, codes: FailureCodes): Refusal {
  const text = outcome.failure?.message.replace(/\.$/, '')
  const why = text === undefined ? message('panel.reason_unknown') : fromRoot(text)
  const all = { ...details, failure: outcome.failure, failures: failedChecks(outcome.checks), steps: outcome.steps }
  if (outcome.outcome === 'restored')
    return new Refusal(codes.restored, message('panel.change_restored', { what, why }), { details: all })
  return new Refusal(codes.stuck, message('panel.change_stuck', { what, why }), {
    details: { ...all, remediation: outcome.remediation, remediation_messages: outcome.remediation.map(fromRoot) },
  })
}

/** The helper went away during the change and has not come back. */
export function unknownOutcome(reason: Refusal, { what, details }: Subject): Refusal {
  const sentence = message('panel.change_unknown', { reason: asMessage(reason), what })
  return new Refusal(reason.code, sentence, { details: { ...reason.details, ...details, outcome: 'unknown' } })
}
