// The work that an API token costs is the same whether or not it is known (decisions.md, A15).
import assert from 'node:assert/strict'
import { createHash, timingSafeEqual } from 'node:crypto'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { ApiTokens } from '@panel/web-daemon/features/auth/api-tokens.ts'
import { insertFirstAccount } from '@panel/web-daemon/features/auth/store.ts'
import { newTokenText, tokenHash } from '@panel/web-daemon/features/auth/token-text.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'

const NOW = new Date(0).toISOString()
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('The comparison of an API token', () => {
  const right = newTokenText()
  let store: Store
  let tokens: ApiTokens
  let compared: (readonly [string, number])[]
  beforeEach(async () => {
    store = await openStore(IN_MEMORY)
    compared = []
    tokens = new ApiTokens(
      store,
      () => new Date(0),
      makeLogger({ write: () => undefined }),
      (given, kept) => {
        compared.push([Buffer.from(given as Uint8Array).toString('hex'), kept.byteLength])
        return timingSafeEqual(given, kept)
      },
    )
    const account = await insertFirstAccount(store, 'operator', '', NOW)
    await tokens.add({
      ...{ user_id: account?.user_id ?? 0, title: 'Prometheus', lookup: right.lookup, hash: tokenHash(right.text) },
      ...{ scopes: '["read"]', allowed_networks: '[]', created_date: NOW, expires_date: null },
      ...{ last_used_date: NOW, last_used_ip: '', revoked_date: null },
    })
  })
  afterEach(() => store.destroy())

  const other = newTokenText().text
  const CASES: readonly [string, string, boolean][] = [
    ['is made of one that is known', right.text, true],
    ['is made of one whose secret is wrong', `${right.text.slice(0, 12)}${other.slice(12)}`, false],
    ['is made of one that nobody has', other, false],
    ['is made of a text that is no token', 'tp_x', false],
  ]
  for (const [name, text, isKnown] of CASES)
    it(`${name}: once, of the SHA-256 of the whole with as many bytes`, async () => {
      assert.equal((await tokens.use(text, '192.0.2.1')) !== null, isKnown)
      assert.deepEqual(compared, [[sha256(text), 32]])
    })
})
