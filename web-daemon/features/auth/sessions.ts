// The sessions, in memory and written through, so that a request can be checked against them at no cost. A refresh
// token is good once: an older one that comes again was copied, and ends the session (decisions.md, A19).
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { StoreContext } from '../../platform/context.ts'
import type { StoreTransaction } from '../../platform/db/database.ts'
import { FRESH_MS } from '../../platform/http/fresh.ts'
import { allSessions, insertSession, updateSession, type SessionRow } from './store-sessions.ts'
import type { RevokedWhy } from './table.ts'

/** Two tabs may send the same refresh token, and the later one is no thief. */
const GRACE_MS = 10_000
/** How often the store is written for nothing but the time of the last request. */
const TOUCH_MS = 60_000
const MAX_AGENT_CHARACTERS = 300

export interface Device {
  readonly client_ip: string
  readonly user_agent: string
}

/** What a refresh token says of itself. */
export interface RefreshClaim {
  readonly sid: string
  readonly generation: number
}

type Changes = Partial<Omit<SessionRow, 'session_id'>>

export class Sessions {
  readonly #db: StoreContext['db']
  readonly #now: () => Date
  readonly #logger: Logger
  #loading: Promise<Map<string, SessionRow>> | null = null
  /** When the password was given in a session since it began; a restart forgets it. */
  readonly #given = new WeakMap<SessionRow, number>()

  constructor(db: StoreContext['db'], now: () => Date, logger: Logger) {
    this.#db = db
    this.#now = now
    this.#logger = logger
  }

  /** `alongside` writes into the same transaction. */
  async begin(
    user_id: number,
    device: Device,
    alongside: (db: StoreTransaction) => Promise<void>,
  ): Promise<SessionRow> {
    const rows = await this.#rows()
    const now = this.#now().toISOString()
    const session_key = randomBytes(16).toString('base64url')
    const fresh = {
      session_key,
      user_id,
      created_date: now,
      ...usedBy(device, now),
      refresh_generation: 0,
      refreshed_date: now,
      expires_date: now,
      revoked_date: null,
    }
    const row = await this.#db.transaction().execute(async (transaction) => {
      await alongside(transaction)
      return insertSession(transaction, fresh, now)
    })
    for (const [key, { expires_date }] of rows) if (expires_date < now) rows.delete(key)
    rows.set(session_key, row)
    return row
  }

  /** Null unless the session lives. */
  async find(sid: string): Promise<SessionRow | null> {
    const row = (await this.#rows()).get(sid)
    return row && row.revoked_date === null ? row : null
  }

  async isLive(session_id: number): Promise<boolean> {
    return (await this.live()).some((row) => row.session_id === session_id)
  }

  /** Notes that the password, and the code if a second factor is on, was right just now. */
  async passwordGiven(session_id: number | null): Promise<void> {
    const row = (await this.live()).find((one) => one.session_id === session_id)
    if (row) this.#given.set(row, this.#now().getTime())
  }

  isFresh(row: SessionRow): boolean {
    const age = this.#now().getTime() - (this.#given.get(row) ?? Date.parse(row.created_date))
    return age >= 0 && age <= FRESH_MS
  }

  async live(): Promise<SessionRow[]> {
    const now = this.#now().toISOString()
    return [...(await this.#rows()).values()].filter((row) => row.revoked_date === null && row.expires_date > now)
  }

  /** Exchanges a refresh token. Null if the session is over, or ends here because the token was used before. */
  async renew({ sid, generation }: RefreshClaim, device: Device): Promise<SessionRow | null> {
    const row = await this.find(sid)
    if (!row || generation > row.refresh_generation) return null
    if (generation === row.refresh_generation) return this.rotate(row, device)
    const age = Math.abs(this.#now().getTime() - Date.parse(row.refreshed_date))
    if (generation === row.refresh_generation - 1 && age <= GRACE_MS) return row
    await this.revoke([row], 'refresh_reused')
    return null
  }

  /** Starts the next generation: only its tokens are exchanged from then on. */
  async rotate(row: SessionRow, device: Device): Promise<SessionRow> {
    const now = this.#now().toISOString()
    return this.#change(row, {
      refresh_generation: row.refresh_generation + 1,
      refreshed_date: now,
      ...usedBy(device, now),
    })
  }

  /** Whatever the store says, they are over at once. */
  async revoke(rows: readonly SessionRow[], why: RevokedWhy): Promise<void> {
    const change = { revoked_date: this.#now().toISOString(), revoked_why: why }
    for (const row of rows) Object.assign(row, change)
    for (const { session_id } of rows) await updateSession(this.#db, session_id, change)
  }

  /** Kept in the store until then, because a token of it may come. */
  async expires(row: SessionRow, expires_date: string): Promise<void> {
    if (expires_date !== row.expires_date) await this.#change(row, { expires_date })
  }

  /** What cannot be written can still be read. */
  async touch(row: SessionRow, device: Device): Promise<void> {
    const now = this.#now()
    const age = Math.abs(now.getTime() - Date.parse(row.last_used_date))
    const isFresh = age < TOUCH_MS && row.last_ip === device.client_ip
    if (isFresh) return
    await this.#change(row, usedBy(device, now.toISOString())).catch((err: unknown) =>
      this.#logger.warn({ err }, 'the last use of a session cannot be stored'),
    )
  }

  /** In memory first, so that of two requests at the same time the second one finds what the first has done. */
  async #change(row: SessionRow, changes: Changes): Promise<SessionRow> {
    Object.assign(row, changes)
    await updateSession(this.#db, row.session_id, changes)
    return row
  }

  /** Read once; after a failure the next request tries again. */
  #rows(): Promise<Map<string, SessionRow>> {
    this.#loading ??= allSessions(this.#db).then(
      (rows) => new Map(rows.map((row) => [row.session_key, row])),
      (failure: unknown) => {
        this.#loading = null
        throw failure
      },
    )
    return this.#loading
  }
}

const usedBy = (
  { client_ip, user_agent }: Device,
  now: string,
): Changes & Record<'last_used_date' | 'last_ip' | 'user_agent', string> => ({
  last_used_date: now,
  last_ip: client_ip,
  user_agent: user_agent.slice(0, MAX_AGENT_CHARACTERS),
})
