// No secret of a whole run is found afterwards: not in any file of the store, not in the log, not in an answer of the
// audit log (reference.md, Audit entry; decisions.md, U4, U5).
import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { Secret } from 'otpauth'
import { Client } from './support/client.ts'
import { codeOf } from './support/factor.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { tunnelRequest } from '../support/records.ts'

/** decisions.md, U5: POST requests that change nothing. */
const NO_MUTATION = [
  'POST /backup/elsewhere/open',
  'POST /impact',
  'POST /tunnels/preview',
  'POST /tunnels/from-pairing-code',
  'POST /networks/preview',
  'POST /routes/preview',
  'POST /routes/diagnostics/test',
  'POST /routes/{id}/diagnostics/test',
]

/** Names that mean a secret wherever they stand (U4). */
const NAMES = [
  'password',
  'new_password',
  'passphrase',
  'secret',
  'client_secret',
  'token',
  'access_token',
  'cookie',
  'authorization',
  'csrf',
  'csrf_token',
]

const MARK = 'hunter2-a-secret-of-the-run-'

/** The secret itself, and what it looks like within something that is encoded, wherever it begins there. */
const formsOf = (secret: string): string[] => {
  const within = [0, 1, 2].map((before) =>
    Buffer.from(`${'-'.repeat(before)}${secret}`)
      .toString('base64')
      .slice(before + 1, -4),
  )
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...within]
}

const isMutating = ({ route }: Endpoint): boolean => !route.startsWith('GET ')

describe('A run of every request', () => {
  const directory = mkdtempSync(join(tmpdir(), 'panel-secrets-'))
  const key = randomBytes(32)
  const secrets = new Set<string>([
    key.toString('latin1'),
    key.toString('base64'),
    key.toString('base64url'),
    key.toString('hex'),
  ])
  let panel: TestPanel
  let operator: Client

  let made = 0
  /** Known only to the one request that it is made for; what they share is what is searched for. */
  const fresh = (): string => {
    made += 1
    return `${MARK}${randomBytes(9).toString('hex')}`
  }
  /** The cookies of the session, each time that they are other ones. */
  const remember = (client: Client): void => {
    for (const value of client.cookies.values()) secrets.add(value)
  }
  const body = (): Record<string, unknown> => {
    const flat = (): Record<string, unknown> => Object.fromEntries(NAMES.map((name) => [name, fresh()]))
    return {
      ...flat(),
      addresses: [flat()],
      destinations: [{ ...flat(), deeper: flat() }],
      backup: { settings: [flat()], accounts: [flat()] },
      pwd: fresh(),
      unknown: [fresh(), { a: fresh() }],
    }
  }

  before(async () => {
    panel = await startPanel({ store: join(directory, 'panel.db'), signing_key: createSecretKey(key) })
    secrets.add(OPERATOR.password)
    await panel.visitor().post('/auth/setup', { username: 'a', password: fresh().slice(0, 11) })
    operator = await panel.setUp()
    remember(operator)
  })
  after(async () => {
    await panel.close()
    rmSync(directory, { recursive: true })
  })

  const askEverything = async (client: Client): Promise<void> => {
    for (const { route } of panel.endpoints.filter(isMutating)) {
      const [method = '', path = ''] = route.replaceAll(/\{\w+\}/g, '1').split(' ')
      if (path === '/auth/logout') continue
      const headers = { Authorization: `Basic ${fresh()}`, 'X-Secret': fresh() }
      await client.api(method, `${path}?token=${fresh()}&password=${fresh()}`, body(), { headers })
      await client.api(method, path, undefined, { headers, raw: `{"password":"${fresh()}"` })
    }
  }

  it('records each that can change something, under a name of its own', async () => {
    for (const endpoint of panel.endpoints.filter(isMutating))
      assert.equal('audit' in endpoint, !NO_MUTATION.includes(endpoint.route), endpoint.route)
    const actions = async (): Promise<Set<string>> => {
      const { entries } = (await operator.get<{ entries: { action: string }[] }>('/audit?limit=1000')).body
      return new Set(entries.map(({ action }) => action))
    }
    await askEverything(operator)
    const seen = await actions()
    for (const endpoint of panel.endpoints) {
      if ('audit' in endpoint && !['POST /auth/logout', 'POST /auth/login'].includes(endpoint.route))
        assert.ok(seen.has(String(endpoint.audit)), `${endpoint.route}: ${String(endpoint.audit)}`)
    }
  })

  it('has the duration and what was done of what was carried out', async () => {
    await operator.post('/tunnels', tunnelRequest())
    const [entry] = (
      await operator.get<{
        entries: { duration_ms: number; operations: string[]; target_type: string; target_id: number }[]
      }>('/audit?action=TunnelCreate&success=true')
    ).body.entries
    assert.ok(entry && entry.duration_ms >= 0 && entry.operations.length > 0)
    assert.deepEqual([entry.target_type, entry.target_id], ['tunnel', 1])
  })

  /** One that is right, and one that nobody made. */
  const useToken = async (client: Client): Promise<void> => {
    const { text } = (await client.post<{ text: string }>('/auth/tokens', { title: 'a', scopes: ['*'] })).body
    const strange = `tp_aaaaaaaa_${fresh()}`
    for (const one of [text, strange]) {
      const headers = { Authorization: `Bearer ${one}` }
      await panel.visitor().put('/settings', { 'display.theme': 'dark' }, { headers })
      await panel.visitor().put('/auth/me', {}, { headers })
    }
    secrets.add(text)
    secrets.add(text.slice(12))
  }

  /** Switched on and used for a sign-in; its secret, codes and recovery codes are searched for. */
  const useSecondFactor = async (client: Client, password: string): Promise<void> => {
    const { secret, uri } = (
      await client.post<{ secret: string; uri: string }>('/auth/me/totp', { current_password: password })
    ).body
    const code = codeOf(panel, secret, -1)
    const confirmed = await client.post<{ recovery_codes: string[] }>('/auth/me/totp/confirm', { code })
    remember(client)
    const [recovery = ''] = confirmed.body.recovery_codes
    const visitor = panel.visitor()
    const signIn = { username: OPERATOR.username, password, code: recovery }
    assert.equal((await visitor.post('/auth/login', signIn)).status, 200)
    remember(visitor)
    for (const one of [secret, uri, ...confirmed.body.recovery_codes]) secrets.add(one)
    secrets.add(Buffer.from(Secret.fromBase32(secret).bytes).toString('latin1'))
  }

  it('leaves no secret behind in the store, the log or the audit log', async () => {
    await askEverything(panel.visitor())
    await operator.post('/auth/refresh')
    remember(operator)
    const [password, wrong] = [fresh(), fresh()]
    await operator.put('/auth/me', { current_password: wrong, new_password: password })
    assert.equal(
      (await operator.put('/auth/me', { current_password: OPERATOR.password, new_password: password })).status,
      200,
    )
    remember(operator)
    panel.clock.advance(3600)
    const again = new Client(operator.base)
    assert.equal((await again.post('/auth/login', { username: OPERATOR.username, password })).status, 200)
    remember(again)
    await useSecondFactor(again, password)
    await useToken(again)
    const { body: listed, text } = await again.get<{ total: number }>('/audit?limit=1000')
    assert.ok(listed.total < 1000)
    await again.post('/auth/logout')
    const places = {
      store: readdirSync(directory)
        .map((name) => readFileSync(join(directory, name), 'latin1'))
        .join('\n'),
      log: panel.log.join('\n'),
      'audit log': text,
    }
    assert.ok(made > 1000 && secrets.size > 10, `${made} ${secrets.size}`)
    assert.ok(places.log.includes('TunnelCreate') && places.store.includes('audit_log'))
    for (const form of [MARK, ...secrets].flatMap(formsOf)) {
      for (const [where, held] of Object.entries(places)) assert.ok(!held.includes(form), `${where} holds ${form}`)
    }
  })
})
