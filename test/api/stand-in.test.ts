// The shipped web daemon where it cannot start: it stands in with health and one page, and starts by itself once what is
// wrong is mended (decisions.md, Y12 to Y14). Its daily copy is what an operator goes back to.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { eventually } from '../support/eventually.ts'
import { addons, bundle } from '../../packaging/build/build.ts'
import { exampleRule } from '../support/example-rule.ts'
import { quietly } from '../support/quietly.ts'
import { Client } from './support/client.ts'
import { listenAsHelper, type HelperSocket } from './support/helper-socket.ts'
import { OPERATOR, PAGE_DIR } from './support/panel.ts'

const isRoot = process.getuid?.() === 0
const OWNER = 65534
const CONTENT = 'qX7content'

describe('The web daemon that cannot start', function () {
  quietly()
  let program: string
  let state: string
  let store: string
  let helper: HelperSocket | null
  let child: ChildProcess | null
  let log: string

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
  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'panel-stand-in-'))
    own(state)
    store = join(state, 'panel.db')
    log = ''
    helper = await listenAsHelper(socket())
  })
  afterEach(async () => {
    await stop()
    await away()
    rmSync(state, { recursive: true })
  })

  const socket = (): string => join(program, 'helper.sock')
  const own = (path: string): void => {
    if (isRoot) chownSync(path, OWNER, OWNER)
  }
  const away = async (): Promise<void> => {
    helper?.close()
    helper = null
    rmSync(socket(), { force: true })
  }
  const env = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    PANEL_STATE_DIR: state,
    PANEL_HELPER_SOCKET: socket(),
    PANEL_PAGE_DIR: PAGE_DIR,
    PANEL_LISTEN_PORT: '0',
  })
  /** Each line of the address that it has printed: the last one counts. */
  let printed: string[]
  const start = async (): Promise<Client> => {
    const user = isRoot ? { uid: OWNER, gid: OWNER } : {}
    const daemon = spawn(process.execPath, [join(program, 'web.cjs')], { env: env(), cwd: '/', ...user })
    child = daemon
    printed = []
    daemon.stdout.on('data', (text) => printed.push(...String(text).trim().split('\n')))
    daemon.stderr.on('data', (text) => (log += String(text)))
    await eventually(() => printed.length > 0 || daemon.exitCode !== null, 'the start')
    assert.equal(daemon.exitCode, null, log)
    return visitor()
  }
  const visitor = (): Client => new Client(printed.at(-1)?.split(' ').at(-1) ?? '')
  const stop = async (): Promise<void> => {
    const ending = child
    child = null
    if (!ending || ending.exitCode !== null) return
    const ended = new Promise<number | null>((resolve) => ending.once('exit', resolve))
    ending.kill('SIGTERM')
    assert.equal(await ended, 0, log)
  }
  /** The panel itself, by its own account of its parts. */
  const recovers = async (): Promise<Client> => {
    await eventually(() => printed.length > 1, 'the panel')
    return visitor()
  }
  const health = async (client: Client): Promise<HealthAnswer> =>
    (await client.get<HealthAnswer>('/system/health')).body
  const detailOf = async (client: Client, part: string): Promise<string> =>
    (await health(client)).components.find(({ name }) => name === part)?.detail ?? ''
  const setUp = async (): Promise<Client> => {
    const client = await start()
    assert.equal((await client.post('/auth/setup', OPERATOR)).status, 201)
    await stop()
    return client
  }

  const DENIED = [
    ['POST', '/auth/setup'],
    ['POST', '/auth/login'],
    ['POST', '/auth/refresh'],
    ['POST', '/auth/logout'],
    ['GET', '/auth/me'],
    ['GET', '/tunnels'],
    ['GET', '/settings'],
    ['GET', '/monitor/stream'],
    ['POST', '/backup/import'],
    ['GET', '/no/such/thing'],
  ] as const

  /** Health and the page say it, and nothing else is served. */
  const standsIn = async (client: Client, part: string, reason: string, words: RegExp): Promise<void> => {
    const { status, setup_required, components } = await health(client)
    assert.deepEqual([status, setup_required], ['error', false])
    for (const name of ['database', 'netlink', 'kernel_module', 'monitor', 'metrics'])
      assert.ok(components.some((one) => one.name === name))
    assert.match(components.find(({ name }) => name === part)?.detail ?? '', words)
    for (const [method, path] of DENIED) {
      const answer = await fetch(`${client.base}api/v1${path}`, {
        method,
        headers: { 'Content-Type': 'application/json' },
        ...(method === 'POST' ? { body: JSON.stringify(OPERATOR) } : {}),
      })
      const { error } = (await answer.json()) as { error: { code: string; message: string; details: object } }
      assert.deepEqual([answer.status, error.code, error.details], [503, 'SERVICE_UNAVAILABLE', { reason }], path)
      assert.match(error.message, words)
      assert.equal(answer.headers.get('set-cookie'), null)
    }
    for (const path of ['', 'tunnels', 'tunnels/7/diagnostics', 'index.html', 'assets/x.js']) {
      const answer = await fetch(`${client.base}${path}`)
      const page = await answer.text()
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [503, 'text/html; charset=utf-8'], path)
      assert.equal(answer.headers.get('set-cookie'), null)
      assert.ok(!page.includes('<script'))
      assert.match(page.replaceAll('&quot;', '"').replaceAll('&amp;', '&'), words)
      assert.ok(!page.includes(CONTENT))
    }
    assert.ok(!log.includes(CONTENT), log)
  }

  it('since the helper has not answered whether it is a first start, opens setup once it has', async () => {
    await away()
    const client = await start()
    await standsIn(client, 'helper', 'first_start_unknown', /Setup stays closed until it does/)
    assert.ok(!existsSync(store))
    helper = await listenAsHelper(socket())
    assert.equal((await (await recovers()).post('/auth/setup', OPERATOR)).status, 201)
  })

  it('since all of it is gone while rules relay, is set up by nobody, and leaves the rules alone', async () => {
    helper?.kernel.rulesets.boot.set(1, exampleRule({ route_rule_id: 1 }))
    await helper?.kernel.rulesets.submit([], [exampleRule({ route_rule_id: 1 })])
    const changes = helper?.kernel.changes.length
    const client = await start()
    await standsIn(client, 'database', 'lost', /Tunnels: 0, relay rules: 1\./)
    assert.equal(helper?.kernel.changes.length, changes)
  })

  it('since its store was lost, is set up again only by the word of root', async function () {
    if (!isRoot) this.skip()
    await setUp()
    for (const name of ['', '-wal', '-shm']) rmSync(`${store}${name}`, { force: true })
    await standsIn(await start(), 'database', 'lost', /is missing or empty.*tunnel-panel open-setup/)
    const command = (uid: number | undefined): Promise<number | null> =>
      new Promise((resolve) =>
        spawn(process.execPath, [join(program, 'tunnel-panel.cjs'), 'open-setup'], {
          env: env(),
          stdio: 'ignore',
          ...(uid === undefined ? {} : { uid, gid: uid }),
        }).once('exit', resolve),
      )
    assert.equal(await command(OWNER), 3)
    assert.equal(await command(undefined), 0)
    const again = await recovers()
    assert.equal((await again.post('/auth/setup', { ...OPERATOR, username: 'another' })).status, 201)
    await stop()
    for (const name of ['', '-wal', '-shm']) rmSync(`${store}${name}`, { force: true })
    await standsIn(await start(), 'database', 'lost', /is missing or empty/)
  })

  it('since its store is damaged, goes back to the daily copy by the commands that it names', async () => {
    const client = await setUp()
    const copy = `${store}.daily-1`
    await start()
    await eventually(() => existsSync(copy), 'the daily copy')
    await stop()
    assert.deepEqual([statSync(copy).mode & 0o777, statSync(copy).uid], [0o600, isRoot ? OWNER : process.getuid?.()])
    writeFileSync(store, CONTENT.repeat(1000))
    await standsIn(await start(), 'database', 'damaged', /is damaged.*panel\.db\.daily-1/)
    const [, commands = ''] =
      / (tunnel-panel set-aside panel\.db && [^.]+? && cp -p \S+ \S+) /.exec(await detailOf(visitor(), 'database')) ??
      []
    const [, from = '', to = ''] = /cp -p (\S+) (\S+)$/.exec(commands) ?? []
    await stop()
    for (const name of ['', '-wal', '-shm']) rmSync(`${store}${name}`, { force: true })
    copyFileSync(from, to)
    own(to)
    const back = await start()
    for (const [name, value] of client.cookies) back.cookies.set(name, value)
    assert.equal((await back.get('/auth/me')).status, 200)
    assert.equal((await health(back)).components.find(({ name }) => name === 'database')?.status, 'ok')
  })

  it('since its store cannot be read, starts by itself once that is mended', async () => {
    await setUp()
    chmodSync(store, 0)
    await standsIn(await start(), 'database', 'unreachable', /chmod 600 .*panel\.db/)
    chmodSync(store, 0o600)
    assert.equal((await (await recovers()).post('/auth/login', OPERATOR)).status, 200)
  })

  const keys: Record<string, (path: string) => void> = {
    'is empty': (path) => truncateSync(path, 0),
    'cannot be read': (path) => chmodSync(path, 0),
    'is garbage': (path) => writeFileSync(path, CONTENT),
  }
  for (const [what, damage] of Object.entries(keys))
    it(`since its signing key ${what}, starts by itself once that is set aside, and everybody signs in again`, async () => {
      const client = await setUp()
      const key = join(state, 'session.key')
      damage(key)
      await standsIn(await start(), 'signing_key', 'signing_key', /tunnel-panel set-aside session\.key/)
      rmSync(key)
      const again = await recovers()
      for (const [name, value] of client.cookies) again.cookies.set(name, value)
      assert.equal((await again.get('/auth/me')).status, 401)
      assert.equal((await again.post('/auth/login', OPERATOR)).status, 200)
      assert.equal(readFileSync(key).length, 32)
    })

  it('since another program holds its store locked, starts by itself once that lets go', async () => {
    await setUp()
    const other = new SQLite(store)
    other.pragma('locking_mode = exclusive')
    other.exec('begin exclusive')
    await standsIn(await start(), 'database', 'locked', /Another program holds/)
    other.close()
    assert.equal((await (await recovers()).post('/auth/login', OPERATOR)).status, 200)
  })

  it('says so in the language of the visitor', async () => {
    await setUp()
    truncateSync(join(state, 'session.key'), 0)
    const { base } = await start()
    const page = async (language: string): Promise<string> =>
      (await fetch(base, { headers: { 'Accept-Language': language } })).text()
    assert.match(await page('ru-RU,ru;q=0.9'), /<html lang="ru" dir="ltr">.*Ключ подписи/)
    assert.match(await page('fa'), /<html lang="fa" dir="rtl">.*کلید امضا/)
    assert.match(await page('zh-CN'), /<html lang="zh-CN".*签名密钥/)
    assert.match(await page('xx'), /<html lang="en".*The signing key/)
  })
})
