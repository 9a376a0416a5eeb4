// One request to one endpoint: guards, body, handler, audit entry, answer. The same for every endpoint, so that none can leave one out.
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { strict, type TSchema } from '@panel/shared/model/schema.ts'
import { AuditNote } from '../audit/note.ts'
import type { CommandContext } from '../context.ts'
import { asRefusal, sendAnswer, sendRefusal } from './answer.ts'
import { readBody } from './body.ts'
import type { Answer, Endpoint, Incoming } from './endpoint.ts'
import type { Guard, Visit } from './guards.ts'
import { clientAddress, isSecure } from './headers.ts'
import { takeKey, type RememberedAnswers } from './idempotency.ts'
import { Problems } from './problems.ts'
import type { Refusal } from './refusal.ts'
import { validate, type Body } from './validate.ts'

/** A command that was carried out or refused, as the audit log is told of it. */
export interface Carried {
  readonly endpoint: Endpoint & { readonly kind: 'command' }
  readonly note: AuditNote
  readonly visit: Visit
  readonly body: Body
  /** Null where it was not refused. */
  readonly refusal: Refusal | null
  readonly duration_ms: number
  readonly client_ip: string
  readonly request_id: string
}

export interface Machinery {
  readonly basePath: string
  readonly guards: readonly Guard[]
  readonly context: Omit<CommandContext, 'note'>
  readonly remembered: RememberedAnswers
  readonly record: (carried: Carried) => Promise<void>
  readonly logger: Logger
}

export const serve =
  (endpoint: Endpoint, machinery: Machinery): RequestHandler =>
  async (req, res) => {
    const exchange = new Exchange(endpoint, machinery, req, res)
    const outcome = await exchange.answer().catch((thrown: unknown) => exchange.refused(thrown))
    if (endpoint.kind === 'command') await exchange.record(endpoint, outcome)
    if ('code' in outcome) sendRefusal(res, outcome)
    else sendAnswer(res, machinery.basePath, outcome)
  }

class Exchange {
  readonly #endpoint: Endpoint
  readonly #machinery: Machinery
  readonly #req: Request
  readonly #visit: Visit
  readonly #note = new AuditNote()
  readonly #request_id: string
  readonly #started = performance.now()
  #body: Body = {}

  constructor(endpoint: Endpoint, machinery: Machinery, req: Request, res: Response) {
    this.#endpoint = endpoint
    this.#machinery = machinery
    this.#req = req
    this.#visit = { endpoint, method: req.method, header: (name) => req.get(name) ?? '', cookies: cookiesOf(req), session: null }
    this.#request_id = res.locals['request_id'] as string
  }

  async answer(): Promise<Answer> {
    for (const guard of this.#machinery.guards) await guard(this.#visit)
    const endpoint = this.#endpoint
    if (endpoint.kind === 'query') return this.#handle({})
    this.#body = await readBody(this.#req)
    if (endpoint.kind !== 'command' || endpoint.isCreating !== true) return this.#handle(this.#body)
    const { key, body } = takeKey(this.#req.get('Idempotency-Key') ?? '', this.#body)
    if (key === '') return this.#handle(body)
    const whose = `${this.#visit.session?.user_id ?? ''} ${endpoint.route} ${JSON.stringify(this.#req.params)} ${key}`
    return this.#machinery.remembered.once(whose, () => this.#handle(body), () => this.#note.operation('Answered as before: the idempotency key is known'))
  }

  async #handle(given: Body): Promise<Answer> {
    const schema = this.#endpoint.body ?? NOTHING
    const problems = new Problems(Object.keys((schema['properties'] as object | undefined) ?? {}))
    const body = validate(schema, given, problems)
    if (this.#endpoint.gathersProblems !== true) problems.throwIfAny()
    const incoming = this.#incoming(body, problems)
    const context = this.#machinery.context
    if (this.#endpoint.kind === 'command') return this.#endpoint.handle({ ...context, note: this.#note }, incoming)
    return this.#endpoint.handle({ db: context.db, ask: context.ask, now: context.now }, incoming)
  }

  #incoming(body: Body, problems: Problems): Incoming<never> {
    const req = this.#req
    return {
      params: Object.fromEntries(Object.entries(req.params).map(([name, text]) => [name, Number(text)])),
      query: Object.fromEntries(new URL(req.url, 'http://panel').searchParams),
      body: body as never,
      problems,
      cookies: this.#visit.cookies,
      client_ip: clientAddress(req),
      is_secure: isSecure(req),
      request_id: this.#request_id,
      session: this.#visit.session,
    }
  }

  refused(thrown: unknown): Refusal {
    const refusal = asRefusal(thrown)
    if (refusal !== thrown) this.#machinery.logger.error({ request_id: this.#request_id, route: this.#endpoint.route, err: thrown }, 'unforeseen failure')
    return refusal
  }

  /** What was done stays done where it cannot be recorded, so the answer tells of it and the log of the missing entry. */
  async record(endpoint: Carried['endpoint'], outcome: Answer | Refusal): Promise<void> {
    const carried: Carried = {
      endpoint,
      note: this.#note,
      visit: this.#visit,
      body: this.#body,
      refusal: 'code' in outcome ? outcome : null,
      duration_ms: Math.round(performance.now() - this.#started),
      client_ip: clientAddress(this.#req),
      request_id: this.#request_id,
    }
    await this.#machinery.record(carried).catch((err: unknown) => this.#machinery.logger.error({ request_id: this.#request_id, err }, 'no audit entry could be written'))
  }
}

/** An endpoint that names no body takes none. */
const NOTHING: TSchema = strict({})

/** cookie-parser reads a value that begins with "j:" as JSON; ours are text. */
const cookiesOf = (req: Request): Record<string, string> =>
  Object.fromEntries(Object.entries(req.cookies as Record<string, unknown>).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
