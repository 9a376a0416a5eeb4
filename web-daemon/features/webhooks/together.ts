// What one thing does to several objects in the same look is sent as one notification that names them all: rules behind
// one chain of other software, and rules that work again (decisions.md, N9).
import { message, sentences, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { Notice, SentNotice, StoredNotice } from './notice.ts'

/** So many are named; each may need a remedy of its own. */
const NAMED = 10
const REMEDIES = 12

type Shareable = Pick<Notice, 'kind' | 'severity' | 'shared'>

export const isShared = (one: Shareable, other: Shareable): boolean =>
  one.shared !== undefined &&
  one.kind === other.kind &&
  one.severity === other.severity &&
  one.shared.key === other.shared?.key

/** Expects notices that share what they are of. */
export function together(first: StoredNotice, others: readonly StoredNotice[]): SentNotice {
  if (others.length === 0) return first
  const all = [first, ...others]
  const subjects = all.map(({ subject }) => subject)
  return { ...first, subjects, text: textOf(first, all) }
}

function textOf(first: StoredNotice, all: readonly StoredNotice[]): Message {
  const count = all.length
  const names = all.slice(0, NAMED).map(({ subject }) => verbatim(subject.name))
  const rules = count > NAMED ? message('notice.names_and_more', { names, count: count - NAMED }) : names
  if (first.severity === 'resolved') return message('notice.routes_resolved', { count, rules })
  const remedies = new Map(all.flatMap(({ shared }) => shared?.remedies ?? []).map((one) => [one.message, one]))
  const reason = sentences(first.shared?.reason ?? null, ...[...remedies.values()].slice(0, REMEDIES))
  return message('notice.routes_problem', { count, rules, state: String(first.text.params['state']), reason })
}
