// If-Match on a change: it is refused where the record is another than the one that the client has seen (RFC 9110,
// 13.1.1). The version of a record is its `updated_date`, so a client needs no header of an earlier answer.
import { message } from '@panel/shared/messages/message.ts'
import type { Incoming } from './endpoint.ts'
import { Refusal } from './refusal.ts'

/** Throws 412 with the record as it is now. Without If-Match, or with `*`, everything matches. */
export function requireVersion(
  stored: { readonly updated_date: string },
  { if_match }: Pick<Incoming, 'if_match'>,
): void {
  if (if_match === '' || if_match === '*') return
  const versions = if_match.split(',').map((tag) => tag.trim())
  if (versions.includes(`"${stored.updated_date}"`)) return
  throw new Refusal('PRECONDITION_FAILED', message('panel.changed_meanwhile'), { details: { current: stored } })
}
