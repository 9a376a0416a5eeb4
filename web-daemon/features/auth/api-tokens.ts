// The API tokens, in memory and written through. An unknown one costs as much as a known one.
import { timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import { message } from '@panel/shared/messages/message.ts'
import type { Scope } from '@panel/shared/api/scopes.ts'
import type { StoreContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { networkList } from '../../platform/network/client-network.ts'
import { insertToken, liveTokens, updateToken, type TokenRow } from './store-tokens.ts'
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
  #loading: Promise<Map<string, TokenRow>> | null = null

  /** `isSame`: a test counts its calls. */
  constructor(db: StoreContext['db'], now: () => Date, logger: Logger, isSame = timingSafeEqual) {
    this.#db = db
    this.#now = now
    this.#logger = logger
    this.#isSame = isSame
  }

  /** Null if there is none, or it has expired. Refused from a network that it is not for. */
  async use(text: string, client_ip: string): Promise<TokenRow | null> {
    const row = (await this.#rows()).get(lookupOf(text) ?? '')
    const isSame = this.#isSame(tokenHash(text), row?.hash ?? NO_HASH)
    if (!row || !isSame || this.isExpired(row)) return null
    const networks = networksOfToken(row)
    if (networks.length > 0 && !networkList(networks)(client_ip))
      throw new Refusal('SCOPE_MISSING', message('panel.token_other_network', { address: client_ip }))
    await this.#touch(row, client_ip)
    return row
  }

  async isLive(token_id: number): Promise<boolean> {
    return (await this.all()).some((row) => row.token_id === token_id && !this.isExpired(row))
  }

  isExpired({ expires_date }: TokenRow): boolean {
    return expires_date !== null && expires_date <= this.#now().toISOString()
  }

  async all(): Promise<TokenRow[]> {
    return [...(await this.#rows()).values()]
  }

  async add(row: Parameters<typeof insertToken>[1]): Promise<TokenRow> {
    const rows = await this.#rows()
    const inserted = await insertToken(this.#db, row)
    rows.set(inserted.lookup, inserted)
    return inserted
  }

  async revoke(row: TokenRow): Promise<void> {
    ;(await this.#rows()).delete(row.lookup)
    await updateToken(this.#db, row.token_id, { revoked_date: this.#now().toISOString() })
  }

  /** What cannot be written can still be read. */
  async #touch(row: TokenRow, client_ip: string): Promise<void> {
    const now = this.#now()
    if (row.last_used_date !== null && now.getTime() - Date.parse(row.last_used_date) < TOUCH_MS) return
    const change = { last_used_date: now.toISOString(), last_used_ip: client_ip }
    Object.assign(row, change)
    await updateToken(this.#db, row.token_id, change).catch((err: unknown) =>
      this.#logger.warn({ err }, 'the last use of an API token cannot be stored'),
    )
  }

  /** Read once; after a failure the next request tries again. */
  #rows(): Promise<Map<string, TokenRow>> {
    this.#loading ??= liveTokens(this.#db).then(
      (rows) => new Map(rows.map((row) => [row.lookup, row])),
      (failure: unknown) => {
        this.#loading = null
        throw failure
      },
    )
    return this.#loading
  }
}
