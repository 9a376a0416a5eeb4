// All open streams: limited in number per kind, kept alive, and ended with their session (decisions.md, E3, E5, A16).
import type { Request, Response } from 'express'
import type { Logger } from 'pino'
import { message } from '@panel/shared/messages/message.ts'
import type { Session, StreamEndpoint } from './endpoint.ts'
import { Refusal } from './refusal.ts'
import { StreamConnection } from './stream-connection.ts'
import type { StreamSource, Subscriber } from './stream.ts'

export const STREAMS_PER_KIND = 256
const QUEUE = 64
/** How often sessions and heartbeats are checked. */
const CHECK_MS = 1000
/** How long a page may take to reconnect with a refreshed session. */
const GRACE_MS = 60_000

const NOBODY: Subscriber = { send: () => undefined, end: () => undefined }

interface OpenStream {
  readonly connection: StreamConnection
  readonly session: Session
  readonly req: Request
}

export interface StreamsDeps {
  readonly now: () => Date
  /** Whether the session has not been revoked. */
  readonly isStanding: (session: Session) => Promise<boolean>
  readonly logger: Logger
}

export class Streams {
  readonly #deps: StreamsDeps
  readonly #taken = new Map<string, number>()
  readonly #open = new Set<OpenStream>()
  #checking: NodeJS.Timeout | null = null
  #isEnding = false

  constructor(deps: StreamsDeps) {
    this.#deps = deps
  }

  /** The number of open streams of a route. */
  count(route: string): number {
    return this.#taken.get(route) ?? 0
  }

  /**
   * Resolves when the stream has ended: by its source, its client or its session. Rejects if there are too many, or if
   * `begin` refuses; nothing has been sent then.
   */
  async run(
    res: Response,
    endpoint: StreamEndpoint,
    session: Session,
    begin: () => Promise<StreamSource>,
  ): Promise<void> {
    const { route, queue = QUEUE } = endpoint
    if (this.#isEnding)
      throw new Refusal('SERVICE_UNAVAILABLE', message('panel.stopping'), {
        details: { reason: 'stopping' },
      })
    if (this.count(route) >= STREAMS_PER_KIND) throw tooMany()
    this.#taken.set(route, this.count(route) + 1)
    try {
      const source = await begin()
      // The client disconnected meanwhile, so the source is released at once.
      if (res.destroyed) return source(NOBODY)()
      const connection = new StreamConnection(res, queue, this.#deps.now())
      if (res.req.method === 'HEAD') connection.end()
      else
        await this.#carry(
          { connection, session, req: res.req },
          source,
          new Promise((resolve) => res.once('close', resolve)),
        )
    } finally {
      this.#taken.set(route, this.count(route) - 1)
    }
  }

  /** Those of requests that came over a socket that closes: their clients come again over another. */
  endOf(isOver: (req: Request) => boolean): void {
    for (const { connection, req } of this.#open) if (isOver(req)) connection.cut()
  }

  /** For the shutdown: ends all streams and refuses new ones. */
  endAll(): void {
    this.#isEnding = true
    for (const { connection } of this.#open) connection.cut()
  }

  async #carry(open: OpenStream, source: StreamSource, closed: Promise<void>): Promise<void> {
    this.#open.add(open)
    this.#checking ??= setInterval(() => void this.#checkAll(), CHECK_MS)
    try {
      const release = source(open.connection)
      await closed
      release()
    } finally {
      open.connection.cut()
      this.#open.delete(open)
      if (this.#open.size === 0) this.#stopChecking()
    }
  }

  #stopChecking(): void {
    if (this.#checking) clearInterval(this.#checking)
    this.#checking = null
  }

  async #checkAll(): Promise<void> {
    const now = this.#deps.now()
    for (const { connection, session } of this.#open) {
      if (now.getTime() >= session.expires_at.getTime() + GRACE_MS) connection.cut()
      else connection.beat(now)
    }
    await this.#endRevoked().catch((err: unknown) =>
      this.#deps.logger.error({ err }, 'the sessions of the streams cannot be checked'),
    )
  }

  /** Streams of the same session share one check. */
  async #endRevoked(): Promise<void> {
    const checks = new Map<string, Promise<boolean>>()
    for (const { connection, session } of [...this.#open]) {
      const key = `${session.key} ${session.token_version}`
      const answer = checks.get(key) ?? this.#deps.isStanding(session)
      checks.set(key, answer)
      if (!(await answer)) connection.cut()
    }
  }
}

const tooMany = (): Refusal =>
  new Refusal('RATE_LIMITED', message('panel.too_many_streams', { count: STREAMS_PER_KIND }), {
    details: { limit: STREAMS_PER_KIND, retry_after_seconds: 3 },
    headers: { 'Retry-After': '3' },
  })
