// Tells what a change makes wrong from what was wrong before it.
import type { Problem } from './problems.ts'

type ComparedProblem = Pick<Problem, 'field' | 'code' | 'message'>

/** An entry may have moved up or down in its list, so a field is compared by its head. */
export const isNewProblem =
  (before: readonly ComparedProblem[]) =>
  ({ field, code, message }: ComparedProblem): boolean =>
    !before.some(
      (one) => one.code === code && one.message === message && topLevelField(one.field) === topLevelField(field),
    )

const topLevelField = (field: string): string => field.split('.')[0] ?? ''
