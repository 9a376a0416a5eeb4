// Tells what a change makes wrong from what was wrong before it.
import type { Warning } from '@panel/shared/api/errors.ts'
import type { Problem } from './problems.ts'

type Told = Pick<Problem | Warning, 'field' | 'code' | 'message'>

/** An entry may have moved up or down in its list, so a field is compared by its head. */
export const isNone =
  (known: readonly Told[]) =>
  ({ field, code, message }: Told): boolean =>
    !known.some((one) => one.code === code && one.message === message && headOf(one.field) === headOf(field))

const headOf = (field: string): string => field.split('.')[0] ?? ''
