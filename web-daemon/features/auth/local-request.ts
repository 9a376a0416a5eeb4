// A request of the command line on this host, by root or the daemon's user, who can read the signing key. It is signed
// over method, path and body and good once, so a program that listens in the panel's place gains nothing by it.
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto'

const LASTS_MS = 60_000

/** The path has the query, and the body is as it goes over the wire. */
export function signRequest(key: KeyObject, now: Date, method: string, path: string, body: string): string {
  const digest = createHash('sha256').update(body).digest('base64url')
  const head = `${now.getTime()}.${randomBytes(12).toString('base64url')}.${digest}`
  return `${head}.${macOf(deriveKey(key), head, method, path)}`
}

export class LocalRequests {
  readonly #key: Buffer
  readonly #now: () => Date
  readonly #used = new Map<string, number>()

  constructor(key: KeyObject, now: () => Date) {
    this.#key = deriveKey(key)
    this.#now = now
  }

  /**
   * The digest that the body must have; null unless it was signed for this request just now and comes for the first
   * time.
   */
  accept(text: string, method: string, path: string): string | null {
    const [at = '', nonce = '', digest = '', mac = ''] = text.split('.')
    const expected = macOf(this.#key, `${at}.${nonce}.${digest}`, method, path)
    const isSame = mac.length === expected.length && timingSafeEqual(Buffer.from(mac), Buffer.from(expected))
    const now = this.#now().getTime()
    for (const [old, until] of this.#used) if (until < now) this.#used.delete(old)
    if (!isSame || Math.abs(now - Number(at)) > LASTS_MS || this.#used.has(nonce)) return null
    this.#used.set(nonce, now + 2 * LASTS_MS)
    return digest
  }
}

const deriveKey = (key: KeyObject): Buffer => Buffer.from(hkdfSync('sha256', key.export(), '', 'local requests', 32))

const macOf = (key: Buffer, head: string, method: string, path: string): string =>
  createHmac('sha256', key).update(`${head} ${method} ${path}`).digest('base64url')
