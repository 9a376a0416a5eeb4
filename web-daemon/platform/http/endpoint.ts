// The four kinds of endpoint: a query, a preview and a stream are handed a context that can only read, a command one
// that can change. Router, body validation and the API description are made from the same list of these values.
import type { Static, TObject, TSchema } from '@panel/shared/schema.ts'
import type { CommandContext, ReadContext } from '../context.ts'
import type { AuditAction } from '@panel/shared/api/audit-actions.ts'
import type { AuditNote } from '../audit-note.ts'
import type { Problems } from './problems.ts'
import type { StreamSource } from './stream.ts'

/** The sections of the API description. */
export const TAGS = [
  'audit',
  'auth',
  'backup',
  'diagnostics',
  'metrics',
  'monitor',
  'other',
  'pools',
  'reconcile',
  'routes',
  'settings',
  'system',
  'traffic',
  'tunnels',
] as const
export type Tag = (typeof TAGS)[number]

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = `${Method} /${string}`

/**
 * The signed-in operator, as the session cookie proves. It ends when it expires (by the current settings) or the
 * account's version changes.
 */
export interface Session {
  readonly user_id: number
  readonly username: string
  readonly token_version: number
  readonly expires_at: Date
}

/** What a handler receives of a request. `params` are path ids; a path with an invalid id never gets here. */
export interface Incoming<B = unknown> {
  readonly params: Readonly<Record<string, number>>
  readonly query: Readonly<Record<string, string>>
  readonly body: B
  /** Prefilled with the schema's problems if the endpoint gathers problems, else empty. */
  readonly problems: Problems
  readonly cookies: Readonly<Record<string, string>>
  /** The address of the connection, never from a header. */
  readonly client_ip: string
  /** The local port of the connection: the panel's own. */
  readonly server_port: number
  readonly is_secure: boolean
  readonly request_id: string
  readonly session: Session | null
  /** Aborted when the client disconnects, so that work for that client alone can stop. */
  readonly gone: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  /** Set-Cookie instructions; a null value clears. */
  readonly cookies?: readonly CookieInstruction[]
}

export interface CookieInstruction {
  readonly name: string
  readonly value: string | null
  readonly http_only: boolean
  readonly max_age_seconds: number
}

export function ok(body: unknown): Answer {
  return { status: 200, body }
}
export function created(body: unknown): Answer {
  return { status: 201, body }
}

interface Described<S extends TSchema> {
  /** An endpoint without these is undocumented in the API description. */
  readonly tag?: Tag
  readonly summary?: string
  readonly body?: S
  /**
   * The query parameters that it reads; others are not passed on. Invalid ones are ignored unless the handler checks
   * them.
   */
  readonly query?: TObject
  /** The body of a successful answer. */
  readonly answer?: TSchema
  /**
   * The handler adds its own problems to `problems` and throws them; fields that the schema refused are left out of
   * `body`.
   */
  readonly gathersProblems?: boolean
  /** If it differs from the general limit. */
  readonly body_limit_bytes?: number
  /** The guards of the endpoint; all apply by default. */
  readonly guards?: { readonly setup?: boolean; readonly csrf?: boolean; readonly session?: boolean }
}

interface Audited {
  readonly audit: AuditAction
  /** Remembers the answer under the Idempotency-Key for ten minutes. */
  readonly isCreating?: boolean
}

export interface StreamContext extends ReadContext {
  readonly note: AuditNote
}

interface Streamed {
  /** How many events may wait for a slow client. */
  readonly queue?: number
  /** For a POST; the entry is written when the stream has ended. */
  readonly audit?: AuditAction
  /** The events that it sends, by name. */
  readonly events?: Readonly<Record<string, TSchema>>
}

export type Endpoint = Described<TSchema> & { readonly route: Route } & (
    | {
        readonly kind: 'query' | 'preview'
        readonly handle: (context: ReadContext, incoming: Incoming<never>) => Promise<Answer>
      }
    | ({
        readonly kind: 'command'
        readonly handle: (context: CommandContext, incoming: Incoming<never>) => Promise<Answer>
      } & Audited)
    | ({
        readonly kind: 'stream'
        readonly handle: (context: StreamContext, incoming: Incoming<never>) => Promise<StreamSource>
      } & Streamed)
  )
export type StreamEndpoint = Endpoint & { readonly kind: 'stream' }
export type AuditedEndpoint = Endpoint & { readonly audit: AuditAction }

type Reads<S extends TSchema> = (context: ReadContext, incoming: Incoming<Static<S>>) => Promise<Answer>
type Changes<S extends TSchema> = (context: CommandContext, incoming: Incoming<Static<S>>) => Promise<Answer>
type Opens<S extends TSchema> = (context: StreamContext, incoming: Incoming<Static<S>>) => Promise<StreamSource>

export function query<S extends TSchema>(route: `GET /${string}`, described: Described<S>, handle: Reads<S>): Endpoint {
  return { kind: 'query', route, ...described, handle } as Endpoint
}

export function preview<S extends TSchema>(
  route: `POST /${string}`,
  described: Described<S>,
  handle: Reads<S>,
): Endpoint {
  return { kind: 'preview', route, ...described, handle } as Endpoint
}

export function command<S extends TSchema>(
  route: Route,
  described: Described<S> & Audited,
  handle: Changes<S>,
): Endpoint {
  return { kind: 'command', route, ...described, handle } as Endpoint
}

type StreamRules<R extends Route> = R extends `GET ${string}`
  ? { readonly audit?: never }
  : { readonly audit: AuditAction }

/**
 * Refuses by a throw, as any handler; the returned source starts after the headers are sent. A stream always needs a
 * session.
 */
export function stream<S extends TSchema, R extends `GET /${string}` | `POST /${string}`>(
  route: R,
  described: Omit<Described<S>, 'guards' | 'answer'> & Omit<Streamed, 'audit'> & StreamRules<R>,
  handle: Opens<S>,
): Endpoint {
  return { kind: 'stream', route, ...described, handle } as Endpoint
}
