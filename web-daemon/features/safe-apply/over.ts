// Whether the window that a request names is over.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { WindowFound } from '@panel/shared/window/model.ts'
import type { ReadDb } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { findEnd } from './store.ts'

/** Returns true if it has ended just so. Throws if it has ended otherwise, or was never known. */
export async function isOver(
  db: ReadDb,
  found: WindowFound,
  window_id: string,
  as: 'confirmed' | 'cancelled' | null,
): Promise<boolean> {
  if (found.window?.window_id === window_id) return false
  const end = await findEnd(db, window_id)
  const ended_how = end?.ended_how ?? ''
  if (ended_how === as) return true
  throw windowOver(end, found, message(OVER[ended_how] ?? 'safe_apply.unknown'))
}

export function windowOver(end: Awaited<ReturnType<typeof findEnd>>, { window }: WindowFound, words: Message): Refusal {
  return new Refusal('SAFE_APPLY_OVER', words, {
    details: { ended_how: end?.ended_how ?? null, at: end?.ended_date ?? null, window_id: window?.window_id ?? null },
  })
}

type OverMessage = `safe_apply.over_${'confirmed' | 'cancelled' | 'expired' | 'rebooted'}`
const OVER: Readonly<Record<string, OverMessage>> = {
  confirmed: 'safe_apply.over_confirmed',
  cancelled: 'safe_apply.over_cancelled',
  expired: 'safe_apply.over_expired',
  rebooted: 'safe_apply.over_rebooted',
}
