// What an operator is answered where a change was not applied (decisions.md, S1 and section 4).
import { failedChecks } from '@panel/shared/change/check.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { Refusal } from '../platform/http/refusal.ts'
import type { FailureCodes } from './resource.ts'

/** Whom an error speaks of: in its message, and in its details. */
export interface Subject {
  readonly what: string
  readonly details: Record<string, unknown>
}

/** Of an outcome that is not "applied". */
export function failureOf(outcome: Outcome, { what, details }: Subject, codes: FailureCodes): Refusal {
  const why = (outcome.failure?.message ?? 'the reason is not known').replace(/\.$/, '')
  const all = { ...details, failure: outcome.failure, failures: failedChecks(outcome.checks), steps: outcome.steps }
  if (outcome.outcome === 'restored')
    return new Refusal(
      codes.restored,
      `The change of ${what} did not work, and everything is as it was before: ${why}.`,
      { details: all },
    )
  return new Refusal(codes.stuck, `The change of ${what} did not work, and could not be undone either: ${why}.`, {
    details: { ...all, remediation: outcome.remediation },
  })
}

/** The helper went away during the change and has not come back. */
export function unknownOutcome(reason: Refusal, { what, details }: Subject): Refusal {
  const message = `${reason.message}. Whether the change of ${what} was carried out is not known: it is pending, and the panel checks the host as soon as the helper answers`
  return new Refusal(reason.code, message, { details: { ...reason.details, ...details, outcome: 'unknown' } })
}
