// One thing that is worth a notification, in no language yet.
import type { NoticeKind, Severity } from '@panel/shared/api/webhooks.ts'
import type { Message } from '@panel/shared/messages/message.ts'

export interface Notice {
  readonly kind: NoticeKind
  readonly severity: Severity
  /** The level of a problem: a worse one is reported at once, whatever was reported before. */
  readonly level: number
  /** What it is about: a problem and its end have the same. "" of what happens once. */
  readonly subject: { readonly type: string; readonly id: number | null; readonly name: string }
  readonly text: Message
  /** Set for a problem that existed when it was found: a target that has had it reported gets nothing. */
  readonly mayBeOld?: true
  /** Set where several may have the same cause: those with the same key that are due together are sent as one. */
  readonly shared?: { readonly key: string; readonly reason: Message; readonly remedies: readonly Message[] }
}

/** A notice in the outbox. */
export interface StoredNotice extends Notice {
  readonly event_id: string
  readonly at: string
}

/** Goes along with a notice of the kind backup. */
export interface NoticeFile {
  readonly name: string
  readonly text: string
}

/** A thing is known by its id, or by its name where it has none. */
export const subjectKey = ({ kind, subject }: Pick<Notice, 'kind' | 'subject'>): string =>
  `${kind} ${subject.type} ${subject.id ?? subject.name}`

/** What can be sent: a test is about nothing that is stored. */
export type SentNotice = Omit<StoredNotice, 'kind'> & {
  readonly kind: NoticeKind | 'test'
  /** All that it is about, if that are several; the subject is the first of them. */
  readonly subjects?: readonly Notice['subject'][]
  readonly file?: NoticeFile
}
