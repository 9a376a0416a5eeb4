// A command that changes the host can be sent to wait for a confirmation: what nobody confirms in time is taken back
// (reference.md, Safe apply).
import { message } from '@panel/shared/messages/message.ts'
import { WINDOW_SECONDS } from '@panel/shared/window/model.ts'
import type { Answer, Endpoint, Session } from './endpoint.ts'
import { Problems } from './problems.ts'
import type { Body } from './validate.ts'

export const CONFIRM_WITHIN = 'confirm_within_seconds'
export const CONFIRM_WITHIN_HEADER = 'X-Confirm-Within'
/** Names the window that a command is meant for: in no other one, and in none, it changes anything. */
export const WINDOW_HEADER = 'X-Window'

/** The field of a body by which an operator accepts that the change may cut him off. */
export const ACCEPTING_FLAG = 'i_understand_i_may_lose_access'

export interface Windowed {
  /** The window that it is meant for; null: in the one that is open, if there is one. */
  readonly window_id: string | null
  /** Null: in no window of its own. */
  readonly seconds: number | null
  readonly session: Session | null
  /** Whether it was accepted that the change may cut the operator off, and the change would. */
  readonly isRisky: () => Promise<boolean>
}

/** What carries out a command in a window, if it is to be in one. */
export type InWindow = (request: Windowed, work: () => Promise<Answer>) => Promise<Answer>

/** What carries out a command that writes into the store alone. */
export type InStoreWindow = (window_id: string | null, work: () => Promise<Answer>) => Promise<Answer>

/** Work of which all stays or nothing. Nothing else is changed from the first of these to the last. */
export interface Whole {
  /** Whether there is anything to do; no window is opened for nothing. */
  readonly begin?: () => Promise<boolean>
  /** Whether all of it is done; false, or a failure: everything is put back. */
  readonly work: () => Promise<boolean>
  /** What follows once it stays. */
  readonly finish?: () => Promise<void>
}

/** What carries out such work; whether it was put back. */
export type AllOrNothing = (session: Session | null, whole: Whole) => Promise<boolean>

/** The window that a request names, or null. */
export function takeWindow(header: string): string | null {
  if (header === '') return null
  if (/^[0-9a-f]{32}$/.test(header)) return header
  const problems = new Problems()
  problems.add(WINDOW_HEADER, 'INVALID_VALUE', message('input.window_id'))
  return problems.throwIfAny() ?? null
}

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
