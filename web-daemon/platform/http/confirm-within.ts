// A command that changes the host can be sent to wait for a confirmation: what nobody confirms in time is taken back
// (reference.md, Safe apply).
import { message } from '@panel/shared/messages/message.ts'
import { WINDOW_SECONDS } from '@panel/shared/window/model.ts'
import type { Answer, Endpoint, Session } from './endpoint.ts'
import { Problems } from './problems.ts'
import type { Body } from './validate.ts'

export const CONFIRM_WITHIN = 'confirm_within_seconds'
export const CONFIRM_WITHIN_HEADER = 'X-Confirm-Within'

/** The field of a body by which an operator accepts that the change may cut him off. */
export const ACCEPTING_FLAG = 'i_understand_i_may_lose_access'

export interface Windowed {
  /** Null: in the window that is open, if there is one. */
  readonly seconds: number | null
  readonly session: Session | null
  /** Whether it was accepted that the change may cut the operator off, and the change would. */
  readonly isRisky: () => Promise<boolean>
}

/** What carries out a command in a window, if it is to be in one. */
export type InWindow = (request: Windowed, work: () => Promise<Answer>) => Promise<Answer>

/** What comes back by itself need not be accepted. */
export function accepting({ body: schema }: Endpoint, body: Body): Body {
  const fields = (schema?.['properties'] ?? {}) as object
  return Object.hasOwn(fields, ACCEPTING_FLAG) ? { ...body, [ACCEPTING_FLAG]: true } : body
}

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
