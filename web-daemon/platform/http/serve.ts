// One request to one endpoint: guards, body, handler, audit entry, answer. All endpoints share it, so that none can
// skip a step.
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { AuditNote } from '../audit-note.ts'
import type { Author } from '../db/author.ts'
import { plainAddress } from '../network/client-network.ts'
import type { CommandContext, ReadContext } from '../context.ts'
import { asRefusal, sendAnswer, sendRefusal } from './answer.ts'
import { BODY_LIMIT_BYTES, readBody, STRANGER_LIMIT_BYTES } from './body.ts'
import { connectedAt } from './connections.ts'
import {
  accepting,
  ACCEPTING_FLAG,
  CONFIRM_WITHIN_HEADER,
  takeConfirmWithin,
  takeWindow,
  WINDOW_HEADER,
  type InStoreWindow,
  type InWindow,
} from './confirm-within.ts'
import {
  changesHost,
  isWindowed,
  type Answer,
  type AuditedEndpoint,
  type Endpoint,
  type Incoming,
  type StreamEndpoint,
} from './endpoint.ts'
import { requireFresh } from './fresh.ts'
import type { Guard, GuardedRequest } from './guards.ts'
import { clientAddress, isSecure } from './headers.ts'
import { REASON_HEADER, readReason } from './reason.ts'
import { takeKey, type RememberedAnswers } from './idempotency.ts'
import { readQuery } from './query.ts'
import type { Refusal } from './refusal.ts'
import { nameRoute } from './request-counts.ts'
import type { Way } from './sockets.ts'
import type { Streams } from './streams.ts'
import { readFields, type Body } from './validate.ts'

/** A finished command or stream, as the audit log records it. */
export interface AuditedRequest {
  readonly endpoint: AuditedEndpoint
  readonly note: AuditNote
  readonly request: GuardedRequest
  readonly body: Body
  /** Null if it was not refused. */
  readonly refusal: Refusal | null
  readonly duration_ms: number
  readonly client_ip: string
  readonly request_id: string
}

export interface Pipeline {
  readonly basePath: string
  readonly guards: readonly Guard[]
  readonly context: Omit<CommandContext, 'note'>
  /** The store as the command of an author sees it. */
  readonly storeBy: (author: Author) => CommandContext['db']
  readonly remembered: RememberedAnswers
  readonly wayOf: (req: Request) => Way
  readonly panelPorts: () => readonly number[]
  readonly streams: Streams
  readonly inWindow: InWindow
  /** Refuses while what a command writes into the store would be put back with the work of another. */
  readonly inStoreWindow: InStoreWindow
  /** Whether the operator's own connection would not survive the command. */
  readonly cutsOwnAccess: (endpoint: Endpoint, context: ReadContext, incoming: Incoming<never>) => Promise<boolean>
  readonly record: (entry: AuditedRequest) => Promise<void>
  /** What a request failed over, if that is the store. */
  readonly storeFailed: (failure: unknown) => void
  readonly logger: Logger
}

export function serve(endpoint: Endpoint, pipeline: Pipeline): RequestHandler {
  return async (req, res) => {
    nameRoute(res, endpoint.route)
    const exchange = new Exchange(endpoint, pipeline, req, res)
    const outcome = await exchange.answer().catch((thrown: unknown) => exchange.refused(thrown))
    if (isAudited(endpoint)) await exchange.record(endpoint, outcome)
    if (outcome === STREAMED || res.headersSent) return
    if ('code' in outcome) sendRefusal(res, outcome)
    else sendAnswer(res, pipeline.basePath, outcome)
  }
}

/** What the guards read of a request. */
export const toGuardedRequest = (endpoint: Endpoint, req: Request): GuardedRequest => ({
  endpoint,
  method: req.method,
  target: req.originalUrl,
  header: (name) => req.get(name) ?? '',
  cookies: textCookies(req),
  client_ip: clientAddress(req),
  session: null,
})

const isAudited = (endpoint: Endpoint): endpoint is AuditedEndpoint => 'audit' in endpoint

/** Stands for the answer if it was a stream, which has ended. */
const STREAMED = Symbol('streamed')
type ExchangeResult = Answer | Refusal | typeof STREAMED

class Exchange {
  readonly #endpoint: Endpoint
  readonly #pipeline: Pipeline
  readonly #req: Request
  readonly #res: Response
  readonly #guarded: GuardedRequest
  readonly #note = new AuditNote()
  readonly #request_id: string
  readonly #started = performance.now()
  #body: Body = {}

  constructor(endpoint: Endpoint, pipeline: Pipeline, req: Request, res: Response) {
    this.#endpoint = endpoint
    this.#pipeline = pipeline
    this.#req = req
    this.#res = res
    this.#guarded = toGuardedRequest(endpoint, req)
    this.#request_id = res.locals['request_id'] as string
  }

  async answer(): Promise<Exclude<ExchangeResult, Refusal>> {
    for (const guard of this.#pipeline.guards) await guard(this.#guarded)
    const endpoint = this.#endpoint
    if (!endpoint.route.startsWith('GET '))
      this.#body = await readBody(this.#req, this.#res, this.#bodyLimit(), this.#guarded.session?.body_digest)
    if (endpoint.kind === 'stream') return this.#stream(endpoint)
    await this.#checkFresh(endpoint)
    if (endpoint.kind !== 'command' || endpoint.isCreating !== true) return this.#handle(endpoint, this.#body)
    const { key, body } = takeKey(this.#req.get('Idempotency-Key') ?? '', this.#body)
    if (key === '') return this.#handle(endpoint, body)
    const scope = `${this.#idempotent()} ${endpoint.route} ${JSON.stringify(this.#req.params)} ${key}`
    const onRepeat = (): void => this.#note.operation('Answered as before: the idempotency key is known')
    return this.#pipeline.remembered.once(scope, body, () => this.#handle(endpoint, body), onRepeat)
  }

  async #checkFresh(endpoint: Exclude<Endpoint, StreamEndpoint>): Promise<void> {
    if (endpoint.kind !== 'command' || endpoint.fresh === undefined) return
    const body = changesHost(endpoint) ? takeConfirmWithin('', this.#body).body : this.#body
    const isNeeded = endpoint.fresh === true || (await endpoint.fresh(this.#reader(), this.#incoming(body)))
    if (isNeeded) requireFresh(this.#guarded.session)
  }

  /** The identity for idempotency. An operator has several sessions, and another one after signing in again. */
  #idempotent(): string {
    const { session } = this.#guarded
    return session?.token_id == null ? String(session?.user_id ?? '') : session.key
  }

  async #handle(endpoint: Exclude<Endpoint, StreamEndpoint>, body: Body): Promise<Answer> {
    if (endpoint.kind !== 'command') return endpoint.handle(this.#reader(), this.#incoming(body))
    const context = { ...this.#pipeline.context, db: this.#pipeline.storeBy(this.#author(endpoint)), note: this.#note }
    if (!isWindowed(endpoint)) return endpoint.handle(context, this.#incoming(body))
    const window_id = takeWindow(this.#req.get(WINDOW_HEADER) ?? '')
    if (!changesHost(endpoint))
      return this.#pipeline.inStoreWindow(window_id, () => endpoint.handle(context, this.#incoming(body)))
    const { seconds, body: rest } = takeConfirmWithin(this.#req.get(CONFIRM_WITHIN_HEADER) ?? '', body)
    const incoming = this.#incoming(seconds === null && window_id === null ? rest : accepting(endpoint, rest))
    const isRisky = async (): Promise<boolean> =>
      rest[ACCEPTING_FLAG] === true && this.#pipeline.cutsOwnAccess(endpoint, this.#reader(), incoming)
    const { session } = this.#guarded
    return this.#pipeline.inWindow({ window_id, seconds, session, isRisky }, () => endpoint.handle(context, incoming))
  }

  #author(endpoint: AuditedEndpoint): Author {
    const { session } = this.#guarded
    return {
      user_id: session?.user_id ?? null,
      username: session?.username ?? '',
      token_id: session?.token_id ?? null,
      request_id: this.#request_id,
      reason: readReason(this.#req.get(REASON_HEADER) ?? ''),
      action: () => this.#note.renamed ?? endpoint.audit,
      file: () => this.#note.file,
    }
  }

  async #stream(endpoint: StreamEndpoint): Promise<typeof STREAMED> {
    const { session } = this.#guarded
    if (!session) throw new Error('a stream was let in without a session')
    const begin = async () => endpoint.handle({ ...this.#reader(), note: this.#note }, this.#incoming(this.#body))
    await this.#pipeline.streams.run(this.#res, endpoint, session, begin)
    return STREAMED
  }

  #bodyLimit(): number {
    return this.#guarded.session ? (this.#endpoint.body_limit_bytes ?? BODY_LIMIT_BYTES) : STRANGER_LIMIT_BYTES
  }

  #reader(): ReadContext {
    const { db, request, now, api_path, settings } = this.#pipeline.context
    return { db, request, now, api_path, settings: { get: settings.get } }
  }

  #incoming(given: Body): Incoming<never> {
    const { body, problems } = readFields(this.#endpoint, given)
    const req = this.#req
    return {
      params: Object.fromEntries(Object.entries(req.params).map(([name, text]) => [name, Number(text)])),
      query: readQuery(req.url, this.#endpoint.query),
      body: body as never,
      problems,
      cookies: this.#guarded.cookies,
      client_ip: clientAddress(req),
      user_agent: this.#guarded.header('User-Agent'),
      server_ip: plainAddress(req.socket.localAddress ?? ''),
      place: this.#pipeline.wayOf(req),
      panelPorts: this.#pipeline.panelPorts,
      is_secure: isSecure(req),
      connected_at: connectedAt(req),
      if_match: this.#guarded.header('If-Match'),
      request_id: this.#request_id,
      session: this.#guarded.session,
      gone: goneSignal(this.#res),
    }
  }

  refused(thrown: unknown): Refusal {
    const refusal = asRefusal(thrown)
    if (refusal !== thrown) {
      this.#pipeline.storeFailed(thrown)
      this.#pipeline.logger.error(
        { request_id: this.#request_id, route: this.#endpoint.route, err: thrown },
        refusal.code === 'INTERNAL_ERROR' ? 'unexpected error' : 'the store failed a request',
      )
    }
    return refusal
  }

  /** If the entry cannot be written, the change stands: the answer says so, and the log reports the missing entry. */
  async record(endpoint: AuditedRequest['endpoint'], outcome: ExchangeResult): Promise<void> {
    const entry: AuditedRequest = {
      endpoint,
      note: this.#note,
      request: this.#guarded,
      body: this.#body,
      refusal: outcome !== STREAMED && 'code' in outcome ? outcome : null,
      duration_ms: Math.round(performance.now() - this.#started),
      client_ip: clientAddress(this.#req),
      request_id: this.#request_id,
    }
    await this.#pipeline
      .record(entry)
      .catch((err: unknown) =>
        this.#pipeline.logger.error({ request_id: this.#request_id, err }, 'no audit entry could be written'),
      )
  }
}

/** Aborted when the connection closes before the answer is complete. */
function goneSignal(res: Response): AbortSignal {
  const going = new AbortController()
  if (res.destroyed) going.abort()
  else res.once('close', () => going.abort())
  return going.signal
}

/** cookie-parser parses values that begin with "j:" as JSON; ours are text. */
const textCookies = (req: Request): Record<string, string> =>
  Object.fromEntries(
    Object.entries(req.cookies as Record<string, unknown>).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
