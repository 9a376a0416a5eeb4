// What is wrong with the host or the panel itself: looked at now and then, since nothing publishes it. What an
// earlier daemon has reported ends here, too.
import { message } from '@panel/shared/messages/message.ts'
import type { NoticeKind } from '@panel/shared/api/webhooks.ts'
import type { HostIncident } from '../../../platform/health.ts'
import { subjectKey, type Notice } from '../notice.ts'

const KINDS: Readonly<Record<HostIncident['kind'], NoticeKind>> = {
  network: 'drift',
  certificate: 'certificate',
  disk: 'disk',
  helper: 'helper_away',
  backup: 'backup_failed',
}

type Subject = Pick<HostIncident, 'kind' | 'name'>

const keyOf = (one: Subject): string => subjectKey({ kind: KINDS[one.kind], subject: subjectOf(one) })

export class Incidents {
  #before: ReadonlySet<string> = new Set()
  readonly #reported = new Map<string, Subject>()
  #isResumed = false

  /** A problem counts once two looks have found it: the root helper may just be restarting. */
  notices(found: readonly HostIncident[]): Notice[] {
    const now = new Map(found.map((one) => [keyOf(one), one]))
    const lasting = [...now].filter(([key]) => this.#before.has(key))
    const gone = [...this.#reported].filter(([key]) => !now.has(key))
    this.#before = new Set(now.keys())
    for (const [key, one] of lasting) this.#reported.set(key, one)
    for (const [key] of gone) this.#reported.delete(key)
    return [...lasting.map(([, one]) => problem(one)), ...gone.map(([, one]) => resolved(one))]
  }

  /** After the first look, which may be too early to find everything: what was reported before this daemon. */
  async resume(openSubjects: () => Promise<readonly string[]>): Promise<void> {
    if (this.#isResumed) return
    for (const key of await openSubjects()) {
      const one = subjectIn(key)
      if (one) this.#reported.set(key, one)
    }
    this.#isResumed = true
  }
}

const subjectOf = ({ kind, name }: Subject): Notice['subject'] => ({ type: kind, id: null, name })

/** Null of another kind of notice. */
function subjectIn(key: string): Subject | null {
  for (const kind of Object.keys(KINDS) as HostIncident['kind'][]) {
    const start = keyOf({ kind, name: '' })
    if (key.startsWith(start)) return { kind, name: key.slice(start.length) }
  }
  return null
}

const problem = (one: HostIncident): Notice => ({
  kind: KINDS[one.kind],
  severity: 'problem',
  level: one.state === 'down' ? 2 : 1,
  subject: subjectOf(one),
  text: one.sentence,
  mayBeOld: true,
})

const resolved = (one: Subject): Notice => ({
  kind: KINDS[one.kind],
  severity: 'resolved',
  level: 0,
  subject: subjectOf(one),
  text: message('notice.host_resolved', { what: one.kind, name: one.name }),
})
