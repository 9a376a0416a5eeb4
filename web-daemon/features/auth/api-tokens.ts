// The API tokens, read from the store with each request, so that what another process ends is over at once. An unknown
// one costs as much as a known one.
import { timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import { message } from '@panel/shared/messages/message.ts'
import type { Scope } from '@panel/shared/api/scopes.ts'
import type { StoreContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { networkList } from '../../platform/network/client-network.ts'
import { findToken, insertToken, liveTokens, updateToken, type TokenRow } from './store-tokens.ts'
import { lookupOf, tokenHash } from './token-text.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

/** How often the store is written for nothing but the time of the last use. */
const TOUCH_MS = 60_000
const NO_HASH = Buffer.alloc(32)

export const scopesOfToken = ({ scopes }: TokenRow): readonly Scope[] => fromStoredJson(scopes) as Scope[]
export const networksOfToken = ({ allowed_networks }: TokenRow): readonly string[] =>
  fromStoredJson(allowed_networks) as string[]

export class ApiTokens {
  readonly #db: StoreContext['db']
  readonly #now: () => Date
  readonly #logger: Logger
  readonly #isSame: typeof timingSafeEqual

  /** `isSame`: a test counts its calls. */
  constructor(db: StoreContext['db'], now: () => Date, logger: Logger, isSame = timingSafeEqual) {
    this.#db = db
    this.#now = now
    this.#logger = logger
    this.#isSame = isSame
  }

  /** Null if there is none, or it has expired. Refused from a network that it is not for. */
  async use(text: string, client_ip: string): Promise<TokenRow | null> {
    const row = await findToken(this.#db, 'lookup', lookupOf(text) ?? '')
    const isSame = this.#isSame(tokenHash(text), row?.hash ?? NO_HASH)
    if (!row || !isSame || this.isExpired(row)) return null
    const networks = networksOfToken(row)
    if (networks.length > 0 && !networkList(networks)(client_ip))
      throw new Refusal('NETWORK_NOT_ALLOWED', message('panel.token_other_network', { address: client_ip }))
    await this.#touch(row, client_ip)
    return row
  }

  async isLive(token_id: number): Promise<boolean> {
    const row = await this.find(token_id)
    return row !== undefined && !this.isExpired(row)
  }

  isExpired({ expires_date }: TokenRow): boolean {
    return expires_date !== null && expires_date <= this.#now().toISOString()
  }

  all(): Promise<TokenRow[]> {
    return liveTokens(this.#db)
  }

  find(token_id: number): Promise<TokenRow | undefined> {
    return findToken(this.#db, 'token_id', token_id)
  }

  add(row: Parameters<typeof insertToken>[1]): Promise<TokenRow> {
    return insertToken(this.#db, row)
  }

  async revoke({ token_id }: TokenRow): Promise<void> {
    await updateToken(this.#db, token_id, { revoked_date: this.#now().toISOString() })
  }

  /** What cannot be written can still be read. */
  async #touch({ token_id, last_used_date }: TokenRow, client_ip: string): Promise<void> {
    const now = this.#now()
    if (last_used_date !== null && now.getTime() - Date.parse(last_used_date) < TOUCH_MS) return
    const change = { last_used_date: now.toISOString(), last_used_ip: client_ip }
    await updateToken(this.#db, token_id, change).catch((err: unknown) =>
      this.#logger.warn({ err }, 'the last use of an API token cannot be stored'),
    )
  }
}
