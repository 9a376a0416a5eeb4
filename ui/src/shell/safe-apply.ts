// What the page asks and does about the window in which changes wait for a confirmation.
import type { Incident } from '@panel/shared/api/incidents.ts'
import type { SafeApplyAnswer, SafeApplyEnded, SafeApplyItem, SafeApplyWindow } from '@panel/shared/api/safe-apply.ts'
import { act } from '../core/act.ts'
import { incidentKey } from '../core/attention.ts'
import { call } from '../core/api.ts'
import { toApiError } from '../core/api-error.ts'
import { t } from '../core/i18n.svelte.ts'
import { lastSent } from '../core/own-access.ts'
import { trial } from '../core/trial.svelte.ts'
import { endTrial } from '../core/tried-drafts.ts'

export const POLL_MS = 2000
/** So many connections to one server a browser keeps; a refused one is closed. */
const TRIES = 6
const MORE_SECONDS = 60
/** More at once the API refuses. */
const MOST_SECONDS = 3600
const DAY_MS = 86_400_000
const DISMISSED = 'safe_apply_dismissed'

const stale = ['/safe-apply']
/** What may have been put back. */
export const PUT_BACK = ['/tunnels', '/routes', '/pools', '/settings', '/system/forwarding', '/reconcile']

export const keep = ({ window_id }: SafeApplyWindow): Promise<unknown> =>
  act(
    { done: t('safe_apply.done.kept'), failing: t('safe_apply.failing.keep') },
    () => confirmOverNew(window_id, TRIES),
    { stale },
  )

export const confirmOverNew = async (window_id: string, tries: number): Promise<SafeApplyAnswer> => {
  try {
    return await call('POST /safe-apply/confirm', { body: { window_id } })
  } catch (failure) {
    if (tries <= 1 || toApiError(failure).code !== 'SAFE_APPLY_SAME_CONNECTION') throw failure
    return confirmOverNew(window_id, tries - 1)
  }
}

export const putBack = ({ window_id }: SafeApplyWindow): Promise<unknown> =>
  act(
    { done: t('safe_apply.done.put_back'), failing: t('safe_apply.failing.put_back') },
    () => call('POST /safe-apply/cancel', { body: { window_id } }),
    { stale: [...stale, ...PUT_BACK] },
  )

/** The tab is in the trial that it sees, unless the change that it sent itself brought it. */
export function followTrial({ window, last }: SafeApplyAnswer, unseen: SafeApplyEnded | null): void {
  if (window && (window.is_waiting || window.window_id === trial.window_id || lastSent === null))
    return trial.enter(window)
  if (trial.window_id === null) return
  const isPutBack = last?.window_id === trial.window_id && last.ended_how !== 'confirmed'
  trial.seconds = null
  trial.form = endTrial(isPutBack) ?? trial.form
  const isUnseen = unseen?.window_id === trial.window_id
  if (!isUnseen || unseen.ended_how === 'cancelled') trial.enter(null)
}

/** What was not there before the first change. */
export const newIncidents = (incidents: readonly Incident[], before: ReadonlySet<string>): Incident[] =>
  incidents.filter((one) => !before.has(incidentKey(one)))

export const extend = ({ window_id }: SafeApplyWindow, left: number): Promise<unknown> =>
  act(
    { done: t('safe_apply.done.extended'), failing: t('safe_apply.failing.extend') },
    () =>
      call('POST /safe-apply/extend', {
        body: { window_id, seconds: Math.min(left + MORE_SECONDS, MOST_SECONDS) },
      }),
    { stale },
  )

export const readDismissed = (): string | null => localStorage.getItem(DISMISSED)
export const dismiss = (window_id: string): void => localStorage.setItem(DISMISSED, window_id)

/** What was put back, where that is still news to this browser. */
export const unseenEnd = (last: SafeApplyEnded | null | undefined, dismissed: string | null): SafeApplyEnded | null =>
  last &&
  last.ended_how !== 'confirmed' &&
  // Who ended a trial without a change has nothing to learn.
  !(last.ended_how === 'cancelled' && last.items.length === 0) &&
  last.window_id !== dismissed &&
  Date.now() - Date.parse(last.ended_at) < 7 * DAY_MS
    ? last
    : null

/** The page of what was changed, where there is one. */
export const placeOf = ({ kind, target_id, what }: SafeApplyItem, isPutBack: boolean): string | undefined => {
  if (kind === 'setting') return '/settings'
  if (kind === 'forwarding') return '/forwarding'
  if (kind === 'network' || what === (isPutBack ? 'created' : 'deleted')) return undefined
  return { tunnel: `/tunnels/${target_id}`, route: `/routes/${target_id}`, pool: `/pools/${target_id}/edit` }[kind]
}

/** Answers over new connections, and how long they have come without a gap. */
interface Reach {
  readonly answers: number
  readonly since: number
}
const REACHED = { answers: 3, within_ms: 5000 } as const
export const NOT_REACHED: Reach = { answers: 0, since: 0 }

/** Adds one more answer of the server, at a moment in milliseconds. */
export const reachedWith = (
  reach: Reach,
  { is_this_connection_new, tunnels_not_up, state }: SafeApplyWindow,
  at: number,
): Reach =>
  is_this_connection_new === true && tunnels_not_up.length === 0 && state === 'open'
    ? { answers: reach.answers + 1, since: reach.answers === 0 ? at : reach.since }
    : NOT_REACHED

/** Whether the page may confirm by itself. */
export const isReached = ({ answers, since }: Reach, { confirm_by, changes }: SafeApplyWindow, at: number): boolean =>
  confirm_by === 'reach' && changes > 0 && answers >= REACHED.answers && at - since >= REACHED.within_ms

/** This page at another address of the server: its connection may go nowhere else, so it can only lead there. */
export const pageAt = (address: string, { protocol, port, pathname, search }: Location): string =>
  `${protocol}//${address.includes(':') ? `[${address}]` : address}${port === '' ? '' : `:${port}`}${pathname}${search}`

const MARKS = [5, 10, 30] as const
/** The times at which the remaining time is announced. */
export const markOf = (left: number): number | null => MARKS.find((mark) => left <= mark) ?? null
