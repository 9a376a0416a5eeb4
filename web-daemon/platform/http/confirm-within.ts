// A command that changes the host can be sent to wait for a confirmation: what nobody confirms in time is taken back
// (reference.md, Safe apply).
import { message } from '@panel/shared/messages/message.ts'
import { WINDOW_SECONDS } from '@panel/shared/window/model.ts'
import type { Answer, Session } from './endpoint.ts'
import { Problems } from './problems.ts'
import type { Body } from './validate.ts'

export const CONFIRM_WITHIN = 'confirm_within_seconds'
export const CONFIRM_WITHIN_HEADER = 'X-Confirm-Within'

/** What carries out a command in a window; `seconds` null: in the one that is open, if there is one. */
export type InWindow = (
  request: { readonly seconds: number | null; readonly session: Session | null },
  work: () => Promise<Answer>,
) => Promise<Answer>

/** The seconds of a request, from its body or header, or null; and the body without them. */
export function takeConfirmWithin(header: string, body: Body): { seconds: number | null; body: Body } {
  const { [CONFIRM_WITHIN]: given, ...rest } = body
  const inHeader = header === '' ? undefined : /^\d{1,9}$/.test(header) ? Number(header) : Number.NaN
  const seconds = given ?? inHeader ?? null
  if (seconds !== null) requireSeconds(seconds, inHeader ?? seconds)
  return { seconds: seconds as number | null, body: rest }
}

function requireSeconds(seconds: unknown, alsoGiven: unknown): void {
  const { least: minimum, most: maximum } = WINDOW_SECONDS
  const problems = new Problems()
  const isWithin = Number.isInteger(seconds) && Number(seconds) >= minimum && Number(seconds) <= maximum
  if (!isWithin)
    problems.add(CONFIRM_WITHIN, 'INVALID_VALUE', message('input.whole', { field: CONFIRM_WITHIN, minimum, maximum }))
  else if (seconds !== alsoGiven)
    problems.add(CONFIRM_WITHIN, 'INVALID_VALUE', message('input.confirm_twice', { header: CONFIRM_WITHIN_HEADER }))
  problems.throwIfAny()
}
