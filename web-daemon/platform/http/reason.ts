// The reason that an operator gives for a change, in a header of its request.
import { message } from '@panel/shared/messages/message.ts'
import { Problems } from './problems.ts'

export const REASON_HEADER = 'X-Change-Reason'
const LETTERS_MAX = 200

/** Percent-encoded UTF-8, since a header takes no other letters. Throws 422 for what cannot be shown on one line. */
export function readReason(header: string): string {
  const reason = decoded(header)
  if (reason !== null && [...reason].length <= LETTERS_MAX && !/\p{Cc}/u.test(reason)) return reason.trim()
  const problems = new Problems()
  problems.add(REASON_HEADER, 'INVALID_VALUE', message('input.reason', { header: REASON_HEADER, length: LETTERS_MAX }))
  return problems.throwIfAny() ?? ''
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
