// A panel to be fuzzed: with one of everything in it, a connection that is kept, and an eye on all that could change.
import { Agent, request, type IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import type { PairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import type { Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { answerCheck } from '../answer-check.ts'
import type { AnswerCheck, Client } from '../client.ts'
import { OPERATOR, startPanel, type TestPanel } from '../panel.ts'
import { plantByHand } from '../reconcile.ts'
import type { FuzzRequest } from './requests.ts'
import { ABYSS, PAIRING_CODE } from './values.ts'
import { tunnelRequest } from '../../../support/records.ts'

const DEEP = '['.repeat(20_000) + ']'.repeat(20_000)
/** Nothing here takes as long, unless it never ends. */
const HANG_MS = 20_000

export interface Aim {
  readonly more_endpoints?: readonly Endpoint[]
  readonly hangMs?: number
}

export interface FuzzReply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export class Target {
  readonly panel: TestPanel
  #client: Client
  readonly #check: AnswerCheck
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #tables: readonly string[] = []
  #pairing_code = ''
  #picture = ''
  #moved = ''

  readonly #hangMs: number

  private constructor(panel: TestPanel, client: Client, hangMs: number) {
    this.#hangMs = hangMs
    this.panel = panel
    this.#client = client
    this.#check = answerCheck(panel.endpoints, '')
  }

  static async open({ more_endpoints = [], hangMs = HANG_MS }: Aim = {}): Promise<Target> {
    const panel = await startPanel({ extra_endpoints: more_endpoints })
    panel.kernel.plant('vx0', {})
    for (const name of ['gre-x', 'gre-ir-7']) plantByHand(panel.kernel, name)
    const client = await panel.setUp()
    const target = new Target(panel, client, hangMs)
    await target.#fill()
    await target.#watch()
    return target
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    await this.panel.close()
  }

  /** Throws where the answer is one that no request may get, or where a refused request changed something. */
  async send(fuzz: FuzzRequest): Promise<FuzzReply> {
    const logged = this.panel.log.length
    const reply = await this.#ask(fuzz)
    const errors = this.panel.log.slice(logged).filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
    if (reply.status === 500 || errors.length > 0)
      throw new Error(`an unforeseen failure: ${reply.status} ${reply.text.slice(0, 300)}\n${errors.join('')}`)
    this.#check.answer(fuzz.method, fuzz.target, reply)
    const [before, after] = [this.#picture, await this.#look()]
    if (reply.status >= 400 && before !== after)
      throw new Error(
        `refused with ${reply.status} ${reply.text.slice(0, 300)}, and yet it changed\n${differenceOf(before, after)}`,
      )
    if (reply.status === 401) await this.#signInAgain()
    return reply
  }

  /** A request may have signed out, and all that come after it would be refused. */
  async #signInAgain(): Promise<void> {
    if ((await this.#client.get('/auth/me')).status !== 401) return
    const visitor = this.panel.visitor()
    if ((await visitor.post('/auth/login', OPERATOR)).status === 200) this.#client = visitor
    await this.#look()
  }

  async #fill(): Promise<void> {
    const made: [string, object][] = [
      ['/tunnels', tunnelRequest({ remote_endpoint: '203.0.113.1' })],
      ['/tunnels', tunnelRequest({ remote_endpoint: '203.0.113.2', is_enabled: false })],
      ['/pools', { address_pool_title: 'One more', cidr: '10.77.0.0/16' }],
      ['/routes', { bind_port: 4001, destination_address: '10.9.0.2', tunnel_id: 1 }],
      ['/routes', { bind_port: 4002, destination_address: '10.9.0.3', allowed_sources: [{ cidr: '203.0.113.0/24' }] }],
      ['/tunnels/1/diagnostics/traceroute', { timeout_seconds: 0.1, max_hops: 1, probes: 1 }],
    ]
    for (const [path, body] of made) {
      const { status, text } = await this.#client.post(path, body)
      if (status >= 300) throw new Error(`${path}: ${text}`)
    }
    this.#pairing_code = (await this.#client.get<PairingCodeAnswer>('/tunnels/1/pairing-code')).body.pairing_code
  }

  /** A code of this panel's own, which a request made beforehand cannot know, and lists in lists. */
  #spelled(body: string | null): string | undefined {
    return body?.replaceAll(PAIRING_CODE, this.#pairing_code).replaceAll(`"${ABYSS}"`, DEEP)
  }

  /**
   * Every write to the store but that of an audit entry is counted, so that the whole need not be read after each
   * request.
   */
  async #watch(): Promise<void> {
    const { db } = this.panel
    const { rows } = await sql<{
      name: string
    }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%' and name <> 'audit_log'`.execute(
      db,
    )
    this.#tables = rows.map(({ name }) => name)
    await sql`create temp table written (times integer)`.execute(db)
    await sql`insert into written values (0)`.execute(db)
    for (const table of this.#tables) {
      for (const what of ['insert', 'update', 'delete'])
        await sql
          .raw(
            `create temp trigger fuzz_${what}_${table} after ${what} on main.${table} begin update written set times = times + 1; end`,
          )
          .execute(db)
    }
    await this.#look()
  }

  async #look(): Promise<string> {
    const { db, kernel } = this.panel
    const { rows } = await sql<{ times: number }>`select times from written`.execute(db)
    const moved = `${rows[0]?.times ?? ''} ${kernel.changes.length}`
    if (moved === this.#moved) return this.#picture
    this.#moved = moved
    const stored = await Promise.all(
      this.#tables.map(
        async (table) =>
          `${table}: ${(await sql.raw(`select * from ${table}`).execute(db)).rows
            .map((row) => JSON.stringify(row))
            .sort()
            .join()}`,
      ),
    )
    return (this.#picture = [...stored, kernel.picture()].join('\n'))
  }

  #ask({ method, target, headers, body: given, isWithoutCsrf }: FuzzRequest): Promise<FuzzReply> {
    const body = this.#spelled(given)
    const { cookies, base } = this.#client
    const { hostname, port } = new URL(base)
    const csrf = cookies.get('panel_csrf') ?? ''
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const all = {
      Cookie,
      ...(!isWithoutCsrf && { 'X-CSRF-Token': csrf }),
      ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    }
    return new Promise((resolve, reject) => {
      const hung = setTimeout(() => reject(new Error(`no answer within ${this.#hangMs} ms`)), this.#hangMs)
      const done = (reply: FuzzReply): void => {
        clearTimeout(hung)
        resolve(reply)
      }
      const sent = request({ hostname, port, method, path: target, headers: all, agent: this.#agent }, (response) =>
        this.#take(response, method, done),
      )
      sent.on('continue', () => sent.end(body))
      sent.on('error', (failure) => {
        clearTimeout(hung)
        reject(failure)
      })
      if (headers['Expect'] === '100-continue') sent.flushHeaders()
      else sent.end(body)
    })
  }

  #take(response: IncomingMessage, method: string, done: (reply: FuzzReply) => void): void {
    let text = ''
    const finish = (): void => done({ status: response.statusCode ?? 0, headers: response.headers, text })
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      text += part
      // These streams have no end.
      if (method === 'GET' && response.headers['content-type'] === 'text/event-stream') response.destroy()
    })
    response.on('close', () => {
      this.#keep(response.headers['set-cookie'] ?? [])
      finish()
    })
    response.on('error', () => undefined)
  }

  /** The operator stays signed in, also where he has just signed out. */
  #keep(instructions: readonly string[]): void {
    for (const instruction of instructions) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(instruction) ?? []
      if (value !== '') this.#client.cookies.set(name, value)
    }
  }
}

function differenceOf(before: string, after: string): string {
  const [was, is] = [before.split('\n'), after.split('\n')]
  return is
    .flatMap((line, at) =>
      line === was[at] ? [] : [`- ${(was[at] ?? '').slice(0, 1500)}`, `+ ${line.slice(0, 1500)}`],
    )
    .join('\n')
}
