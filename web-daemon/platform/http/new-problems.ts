// Tells problems that a change causes from those that existed before.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { Problem } from './problems.ts'

type ComparedProblem = Pick<Problem | Warning, 'field' | 'code' | 'message'>

/** An item may have moved in its list, so only the top-level field is compared. */
export function isNewProblem(before: readonly ComparedProblem[]) {
  return ({ field, code, message }: ComparedProblem): boolean =>
    !before.some(
      (one) => one.code === code && one.message === message && topLevelField(one.field) === topLevelField(field),
    )
}

const topLevelField = (field: string): string => field.split('.')[0] ?? ''
