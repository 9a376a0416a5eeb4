// tunnel-panel reset-password: the way back in for an operator who has lost the password, on the host, beside a daemon
// that runs or not (decisions.md, A2, A9, A16, U2).
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { insertFirstAccount, onlyAccount, type Account } from '@panel/web-daemon/features/auth/store.ts'
import { confirmFactor, findFactor, insertFactor } from '@panel/web-daemon/features/auth/store-factors.ts'
import { openExistingStore, openStore } from '@panel/web-daemon/app/store.ts'
import { addons, bundle } from '../../packaging/build/build.ts'
import { quietly } from '../support/quietly.ts'
import { Client } from './support/client.ts'
import { listenAsHelper, type HelperSocket } from './support/helper-socket.ts'
import { OPERATOR, PAGE_DIR } from './support/panel.ts'
import { openStream } from './support/streams.ts'

const [OWNER, STRANGER] = [65534, 61184]
const isRoot = process.getuid?.() === 0
const NEW_PASSWORD = 'گذرواژهٔ دیگری'

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly output: string
}

describe('tunnel-panel reset-password', function () {
  quietly()
  let program: string
  let state: string
  const children: ChildProcess[] = []

  before(async () => {
    program = mkdtempSync(join(tmpdir(), 'panel-program-'))
    chmodSync(program, 0o755)
    await Promise.all([
      addons(program),
      bundle('web-daemon/app/main.ts', join(program, 'web.cjs')),
      bundle('web-daemon/cli/main.ts', join(program, 'tunnel-panel.cjs')),
    ])
  })
  after(() => rmSync(program, { recursive: true }))
  let helper: HelperSocket
  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'panel-reset-'))
    if (isRoot) chownSync(state, OWNER, OWNER)
    helper = await listenAsHelper(join(program, 'helper.sock'))
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    helper.close()
    rmSync(state, { recursive: true })
  })

  const run = (
    script: string,
    args: readonly string[],
    { uid, env = {} }: { uid?: number | undefined; env?: Record<string, string> } = {},
  ): { child: ChildProcess; ended: Promise<Ended> } => {
    const environment = {
      PATH: process.env['PATH'] ?? '',
      PANEL_STATE_DIR: state,
      PANEL_HELPER_SOCKET: helper.path,
      PANEL_PAGE_DIR: PAGE_DIR,
      PANEL_LISTEN_PORT: '0',
      ...env,
    }
    const child = spawn(process.execPath, [join(program, script), ...args], {
      env: environment,
      cwd: '/',
      ...(uid === undefined ? {} : { uid, gid: uid }),
    })
    children.push(child)
    let [out, output] = ['', '']
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (output += String(chunk)))
    return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, out, output }))) }
  }

  /** Run by root, who becomes the owner of the store. */
  const reset = (input: string, args: readonly string[] = [], more: Parameters<typeof run>[2] = {}): Promise<Ended> => {
    const { child, ended } = run('tunnel-panel.cjs', ['reset-password', ...args], more)
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    return ended
  }

  const startDaemon = async (): Promise<{ client: Client; stop: () => Promise<Ended> }> => {
    const { child, ended } = run('web.cjs', [], { uid: isRoot ? OWNER : undefined })
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout?.once('data', (chunk) => resolve(String(chunk)))
      void ended.then(({ output }) => reject(new Error(output)))
    })
    const stop = (): Promise<Ended> => {
      child.kill('SIGTERM')
      return ended
    }
    return { client: new Client(line.trim().split(' ').at(-1) ?? ''), stop }
  }

  /** A store as a daemon leaves it, with an account if its name is given. */
  async function makeStore(username?: string): Promise<void> {
    const path = join(state, 'panel.db')
    const db = await openStore(path)
    if (username !== undefined) await insertFirstAccount(db, username, 'no hash', new Date().toISOString())
    await db.destroy()
    if (isRoot) chownSync(path, OWNER, OWNER)
  }

  async function account(): Promise<Account | undefined> {
    const db = await openExistingStore(join(state, 'panel.db'))
    const found = await onlyAccount(db)
    await db.destroy()
    return found
  }

  const signIn = (base: string, password: string): Promise<Client | null> => {
    const client = new Client(base)
    return client.post('/auth/login', { ...OPERATOR, password }).then(({ status }) => (status === 200 ? client : null))
  }

  it('beside a running daemon ends every session, every open stream and the wait after too many guesses, and only the new password is right', async () => {
    const { client, stop } = await startDaemon()
    await client.post('/auth/setup', OPERATOR)
    const other = await signIn(client.base, OPERATOR.password)
    assert.ok(other)
    for (let at = 0; at < 5; at++) assert.equal(await signIn(client.base, 'a wrong guess'), null)
    assert.equal(await signIn(client.base, OPERATOR.password), null)
    const stream = await openStream(other, '/monitor/stream')
    assert.equal(stream.status, 200)
    const { code, out, output } = await reset(`${NEW_PASSWORD}\n`)
    assert.deepEqual([code, output], [0, ''])
    assert.match(out, /^The password of operator has been changed, and all sessions have ended\.\n$/)
    for (const ended of [client, other])
      assert.deepEqual([(await ended.get('/auth/me')).status, (await ended.post('/auth/refresh')).status], [401, 401])
    await stream.ended
    assert.equal(await signIn(client.base, OPERATOR.password), null)
    const again = await signIn(client.base, NEW_PASSWORD)
    assert.ok(again)
    const { entries } = (
      await again.get<{
        entries: {
          audit_action_id: number
          action: string
          target_type: string
          target_id: number
          is_success: boolean
          operations: string[]
          username: string
          user_id: null
        }[]
      }>('/audit?action=220')
    ).body
    assert.deepEqual(
      entries.map(({ audit_action_id, action, target_type, target_id, is_success, username, user_id }) => [
        audit_action_id,
        action,
        target_type,
        target_id,
        is_success,
        username,
        user_id,
      ]),
      [[220, 'PasswordReset', 'user', 1, true, '', null]],
    )
    assert.match(entries[0]?.operations[0] ?? '', /^Password reset on the host by the user \S+$/)
    assert.ok(!(await again.get('/audit')).text.includes(NEW_PASSWORD))
    assert.equal((await stop()).code, 0)
  })

  it('while the daemon is stopped does the same, and leaves files of the owner only, with their modes', async () => {
    const first = await startDaemon()
    await first.client.post('/auth/setup', OPERATOR)
    await first.stop()
    assert.equal((await reset(NEW_PASSWORD)).code, 0)
    for (const name of readdirSync(state)) {
      const { uid, gid, mode } = statSync(join(state, name))
      assert.deepEqual(
        [uid, gid, mode & 0o777],
        [...(isRoot ? [OWNER, OWNER] : [process.getuid?.(), process.getgid?.()]), 0o600],
        name,
      )
    }
    const second = await startDaemon()
    for (const [name, value] of first.client.cookies) second.client.cookies.set(name, value)
    assert.equal((await second.client.get('/auth/me')).status, 401)
    assert.ok(await signIn(second.client.base, NEW_PASSWORD))
  })

  it('beside a running daemon ends and names the API tokens, or keeps them with --keep-tokens', async () => {
    const { client, stop } = await startDaemon()
    await client.post('/auth/setup', OPERATOR)
    const create = async (title: string): Promise<string> =>
      String((await client.post('/auth/tokens', { title, scopes: ['read'], expires_date: null })).body['text'])
    const texts = [await create('Terraform'), await create('Ansible')]
    const statuses = async (): Promise<number[]> =>
      Promise.all(
        texts.map(
          async (text) =>
            (await new Client(client.base).get('/settings', { headers: { Authorization: `Bearer ${text}` } })).status,
        ),
      )
    const kept = await reset(`${NEW_PASSWORD}\n`, ['--keep-tokens'])
    assert.deepEqual([kept.code, kept.out.includes('API token')], [0, false])
    assert.deepEqual(await statuses(), [200, 200])
    assert.match((await reset(`${NEW_PASSWORD}\n`)).out, /API tokens that have ended: Terraform, Ansible\.\n/)
    assert.deepEqual(await statuses(), [401, 401])
    const again = await signIn(client.base, NEW_PASSWORD)
    assert.match((await again?.get('/audit?action=PasswordReset&limit=1'))?.text ?? '', /Token Terraform ended/)
    await stop()
  })

  it('keeps the second factor unless the answer is yes', async () => {
    await makeStore('operator')
    const path = join(state, 'panel.db')
    const db = await openExistingStore(path)
    const { user_id = 0 } = (await onlyAccount(db)) ?? {}
    await insertFactor(db, { user_id, secret: randomBytes(48), label: '', created_date: '2026-01-01T00:00:00.000Z' })
    const factor = await findFactor(db, user_id)
    assert.ok(factor)
    await confirmFactor(db, factor, { hashes: [randomBytes(32)], now: '2026-01-01T00:00:00.000Z' })
    assert.match((await reset(`${NEW_PASSWORD}\n`)).out, /The second factor is still on\.\n$/)
    assert.ok(await findFactor(db, user_id))
    assert.match((await reset(`${NEW_PASSWORD}\nyes\n`)).out, /The second factor has been switched off\.\n$/)
    assert.equal(await findFactor(db, user_id), undefined)
    await db.destroy()
  })

  it('waits for its turn where the store is being written', async () => {
    await makeStore('operator')
    const writer = new SQLite(join(state, 'panel.db'))
    writer.exec('BEGIN IMMEDIATE')
    const resetting = reset(NEW_PASSWORD)
    // Long enough for it to come to the store; where it does not, it has nothing to wait for.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    writer.exec('COMMIT')
    writer.close()
    assert.equal((await resetting).code, 0)
    assert.equal((await account())?.token_version, 2)
  })

  it('refuses a password that is too short, too long, the username or none, and one that is written on the line', async () => {
    await makeStore('operator-one')
    for (const [input, why] of [
      ['short\n', /at least 12 characters/],
      [`${'x'.repeat(73)}\n`, /at most 72 bytes/],
      ['Operator-One\n', /must not be the username/],
      ['', /No password was given/],
      ['\n', /at least 12 characters/],
      ['x'.repeat(9000), /too long/],
    ] as const) {
      const { code, out, output } = await reset(input)
      assert.deepEqual([code, out], [1, ''], input)
      assert.match(output, why)
      assert.match(output, /Nothing was changed/)
    }
    const { code, output } = await reset(`${NEW_PASSWORD}\n`, [NEW_PASSWORD])
    assert.equal(code, 2)
    assert.match(output, /would be visible to every user of this host/)
    const { password_hash, token_version } = (await account()) ?? {}
    assert.deepEqual([password_hash, token_version], ['no hash', 1])
  })

  it('is refused to every user but the owner of the store, with what to do', async function () {
    if (!isRoot) return this.skip()
    await makeStore('operator')
    for (const mode of [0o700, 0o777]) {
      chmodSync(state, mode)
      const { code, output } = await reset(`${NEW_PASSWORD}\n`, [], { uid: STRANGER })
      assert.equal(code, 1)
      assert.match(output, /Run this as root/)
      assert.ok(!output.includes('    at '))
    }
    assert.equal((await reset(`${NEW_PASSWORD}\n`, [], { uid: OWNER })).code, 0)
  })

  it('says what is missing where there is no store, no account, or a store that cannot be used', async () => {
    assert.match((await reset(NEW_PASSWORD)).output, /^There is no store .*panel\.db\. Start the web daemon first/)
    assert.match(
      (await reset(NEW_PASSWORD, [], { env: { PANEL_STATE_DIR: join(state, 'none') } })).output,
      /^There is no store in .*none \(ENOENT\)/,
    )
    await makeStore()
    assert.match((await reset(NEW_PASSWORD)).output, /^There is no account yet\. Open the panel/)
    writeFileSync(join(state, 'panel.db'), 'nonsense '.repeat(1000))
    assert.match(
      (await reset(NEW_PASSWORD)).output,
      /^The store .*panel\.db cannot be used \(SQLITE_NOTADB\)\. Nothing was changed\.\n$/,
    )
  })

  it('changes nothing in a store with a trigger that would undo it, and says so', async () => {
    await makeStore('operator')
    const path = join(state, 'panel.db')
    const sqlite = new SQLite(path)
    sqlite.exec(
      'create trigger kept after update of password_hash on user_account begin update user_account set password_hash = old.password_hash where user_id = new.user_id; end',
    )
    const { code, output } = await reset(`${NEW_PASSWORD}\n`)
    assert.equal(code, 1)
    assert.match(output, /PANEL_ALTERED.*Nothing was changed.*trigger or a view/)
    const hash = sqlite.prepare('select password_hash from user_account').pluck().get()
    sqlite.exec('drop trigger kept')
    sqlite.close()
    assert.equal(hash, 'no hash')
    assert.equal((await reset(`${NEW_PASSWORD}\n`)).code, 0)
  })

  it('is one command of several, which say what they are for', async () => {
    const help = await run('tunnel-panel.cjs', ['help']).ended
    assert.deepEqual([help.code, help.output], [0, ''])
    assert.match(help.out, /^Usage: tunnel-panel COMMAND\n[^]*\n {2}reset-password \[--keep-tokens\]\n? {2,}/)
    for (const args of [[], ['nonsense'], ['toString'], ['__proto__']]) {
      const { code, output } = await run('tunnel-panel.cjs', args).ended
      assert.equal(code, 2)
      assert.match(output, /reset-password/)
    }
  })
})
