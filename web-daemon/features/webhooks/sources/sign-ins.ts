// Counts sign-ins that failed: so many within ten minutes are worth a notice, those before a restart among them.
import { message } from '@panel/shared/messages/message.ts'
import type { ReadDb, WriteDb } from '../../../platform/context.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import type { Notice } from '../notice.ts'

const MINUTES = 10

const KEPT = 1000

export interface SignInDeps {
  readonly settings: SettingsReader
  readonly now: () => Date
  /** When sign-ins failed since then, as far as that is stored. */
  readonly signInsFailedSince: (db: ReadDb, since: string) => Promise<string[]>
}

export class FailedSignIns {
  readonly #deps: SignInDeps
  #times: number[] | null = null

  constructor(deps: SignInDeps) {
    this.#deps = deps
  }

  /** `count` more, whose entry is written already. The notice, once there were enough of them. */
  async failed(db: WriteDb, address: string, count: number): Promise<Notice[]> {
    const now = this.#deps.now().getTime()
    const since = now - MINUTES * 60_000
    const times = this.#times ?? (await this.#stored(db, since)).slice(0, -1)
    const more = Array.from({ length: count }, () => now)
    this.#times = [...times.filter((at) => at > since), ...more].slice(-KEPT)
    if (this.#times.length < this.#deps.settings.get('webhooks.sign_in_failures')) return []
    return [notice(this.#times.length, address)]
  }

  async #stored(db: WriteDb, since: number): Promise<number[]> {
    const stored = await this.#deps.signInsFailedSince(db, new Date(since).toISOString())
    return stored.map((date) => Date.parse(date))
  }
}

const notice = (count: number, address: string): Notice => ({
  kind: 'sign_in_failed',
  severity: 'problem',
  level: 1,
  subject: { type: 'sign_in', id: null, name: '' },
  text: message('notice.sign_in_failed', { count, minutes: MINUTES, address }),
})
