// Addresses that the operator has signed in from, as keyed hashes, for 30 days: guesses from elsewhere cannot make them
// wait (decisions.md, A21).
import { createHmac, hkdfSync, type KeyObject } from 'node:crypto'
import type { StoreContext, WriteDb } from '../../platform/context.ts'
import { clientNetwork } from '../../platform/network/client-network.ts'

const KEPT_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1000

export class KnownAddresses {
  readonly #db: StoreContext['db']
  readonly #now: () => Date
  readonly #key: Buffer

  constructor(db: StoreContext['db'], now: () => Date, signing_key: KeyObject) {
    this.#db = db
    this.#now = now
    this.#key = Buffer.from(hkdfSync('sha256', signing_key.export(), '', 'known addresses', 32))
  }

  async has(client_ip: string): Promise<boolean> {
    const found = await this.#db
      .selectFrom('known_address')
      .select('last_used_date')
      .where('address_hash', '=', this.#hash(client_ip))
      .where('last_used_date', '>=', this.#oldest())
      .executeTakeFirst()
    return found !== undefined
  }

  /** Renews the address of a session that goes on: its cookies may be copies, so they make no address known. */
  async renew(client_ip: string): Promise<void> {
    await this.#db
      .updateTable('known_address')
      .set({ last_used_date: this.#now().toISOString() })
      .where('address_hash', '=', this.#hash(client_ip))
      .where('last_used_date', '>=', this.#oldest())
      .execute()
  }

  /** `db`: of the transaction that stores the sign-in. */
  async add(client_ip: string, db: WriteDb): Promise<void> {
    const last_used_date = this.#now().toISOString()
    await db.deleteFrom('known_address').where('last_used_date', '<', this.#oldest()).execute()
    await db
      .insertInto('known_address')
      .values({ address_hash: this.#hash(client_ip), last_used_date })
      .onConflict((conflict) => conflict.column('address_hash').doUpdateSet({ last_used_date }))
      .execute()
  }

  #oldest(): string {
    return new Date(this.#now().getTime() - KEPT_DAYS * DAY_MS).toISOString()
  }

  #hash(client_ip: string): Buffer {
    return createHmac('sha256', this.#key).update(clientNetwork(client_ip)).digest()
  }
}
