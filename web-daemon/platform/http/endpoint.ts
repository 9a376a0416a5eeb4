// The four kinds of endpoint: a query, a preview and a stream are handed a context that can only read, a command one
// that can change. Router, body validation and the API description are made from the same list of these values.
import type { Static, TObject, TSchema } from '@panel/shared/schema.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext, StoreContext } from '../context.ts'
import type { ErrorCode, STATUS_OF } from '@panel/shared/api/base/codes.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { ENDPOINTS } from '@panel/shared/api/endpoints.ts'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { Scope } from '@panel/shared/api/scopes.ts'
import type { AuditNote } from '../audit-note.ts'
import type { JsonText } from './json-text.ts'
import type { Problems } from './problems.ts'
import type { Refusal } from './refusal.ts'
import type { Way } from './sockets.ts'
import type { StreamSource } from './stream.ts'

/** The sections of the API description. */
export const TAGS = [
  'audit',
  'auth',
  'backup',
  'desired',
  'diagnostics',
  'impact',
  'metrics',
  'monitor',
  'networks',
  'other',
  'pools',
  'reconcile',
  'revisions',
  'routes',
  'settings',
  'system',
  'traffic',
  'tunnels',
  'webhooks',
] as const
export type Tag = (typeof TAGS)[number]

/** 405 is missing: a method that a path does not have belongs to no endpoint. */
export type Status = 200 | 201 | Exclude<(typeof STATUS_OF)[ErrorCode], 405>

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = `${Method} /${string}`

/**
 * The signed-in operator, as the session cookie proves. It ends when it expires (by the current settings), is ended, or
 * the account's version changes.
 */
export interface Session {
  readonly user_id: number
  readonly username: string
  readonly token_version: number
  /** Null of an API token. */
  readonly session_id: number | null
  readonly token_id: number | null
  /** What a token may do; null: everything. */
  readonly scopes: readonly Scope[] | null
  /** What the body must have, of a request that is signed; SHA-256 in base64url. */
  readonly body_digest?: string
  /** One session or token, distinct from the others. */
  readonly key: string
  /** Whether its password, and its code if a second factor is on, was given within the last ten minutes. */
  readonly is_fresh: boolean
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
  /** What the client calls itself, "" if it does not. */
  readonly user_agent: string
  /** The address of this host that the connection was made to. */
  readonly server_ip: string
  /** The listener of the panel that the request came through. */
  readonly place: Way
  /** All ports that the panel listens on, or would after a restart, at the moment of the call. */
  readonly panelPorts: () => readonly number[]
  readonly is_secure: boolean
  /** When the connection was made, in milliseconds of performance.now(); null where a proxy has made it. */
  readonly connected_at: number | null
  /** The header If-Match, "" without one. */
  readonly if_match: string
  readonly request_id: string
  readonly session: Session | null
  /** Aborted when the client disconnects, so that work for that client alone can stop. */
  readonly gone: AbortSignal
  /**
   * The id that the object of a creation had ahead of its deletion, and gets again; null of one from a backup, which gets
   * an id of its own. No client can say it.
   */
  readonly reviving?: number | null
  /** The file that the request comes from. No client can say it. */
  readonly file?: string
}

export interface Answer<T = unknown> {
  readonly status: number
  readonly body: T
  /** Set-Cookie instructions; a null value clears. */
  readonly cookies?: readonly CookieInstruction[]
  /** Set if the answer is the last on its connection. */
  readonly isLast?: true
}

/** An answer, or for a long list that the daemon does not read, its text. */
export type Sendable<T> = Answer<T> | Answer<JsonText<T>>

export interface CookieInstruction {
  readonly name: string
  readonly value: string | null
  readonly http_only: boolean
  readonly max_age_seconds: number
}

export function ok<T>(body: T): Answer<T> {
  return { status: 200, body }
}
export function created<T>(body: T): Answer<T> {
  return { status: 201, body }
}

/** The schemas of what an endpoint takes, answers and sends, as a table of endpoints has them. */
export interface Schemas {
  readonly body?: TSchema
  /** Nothing else of a query arrives, and what is not of its kind is refused (query.ts). */
  readonly query?: TObject
  /** The body of a successful answer. */
  readonly answer?: TSchema
  /** The events of a stream, by name. */
  readonly events?: Readonly<Record<string, TSchema>>
}

export interface Described {
  /** An endpoint that says neither of itself shows in the API description as undocumented. */
  readonly tag?: Tag
  readonly summary?: string
  /** What an API token needs for it, if not what its tag says (platform/http/scopes.ts). */
  readonly scope?: Scope
  /** The statuses that it answers with beside those of its kind (statuses.ts). */
  readonly statuses?: readonly Status[]
  /**
   * The handler adds its own problems to `problems` and throws them; fields that the schema refused are left out of
   * `body`.
   */
  readonly gathersProblems?: boolean
  /** A field of the body that is left out part by part, as the body is field by field. */
  readonly gathersInside?: string
  /** If it differs from the general limit. */
  readonly body_limit_bytes?: number
  /** The guards of the endpoint; all apply by default. */
  readonly guards?: { readonly setup?: boolean; readonly csrf?: boolean; readonly session?: boolean }
}

/** What a command would have root do, found out by the same functions and by reading alone (reference.md, Impact). */
export type Foresee = (context: ReadContext, incoming: Incoming<never>) => Promise<Foreseen>

/** Whether this request needs it; the body may be one that the handler refuses. */
export type NeedsFresh = (context: ReadContext, incoming: Incoming<never>) => boolean | Promise<boolean>

/** One of several requests to an endpoint that are carried out together. */
export interface Part<B = unknown> {
  readonly incoming: Incoming<B>
  readonly note: AuditNote
}

/**
 * Carries out requests to one endpoint by one change of the host; what each is refused with by itself, or its answer.
 * Null where the change failed and was put back: fewer of them, and in the end each by itself, say why.
 */
export type Together<B = never> = (
  context: CommandContext,
  parts: readonly Part<B>[],
) => Promise<readonly (Refusal | TogetherBody)[] | null>

/** The part of an answer that matters to a sender of many requests. */
export interface TogetherBody {
  readonly warnings: readonly Warning[]
  readonly route: { readonly route_rule_id: number; readonly route_rule_title: string }
}

export interface Audited {
  /** Takes a password given within the last ten minutes (platform/http/fresh.ts): always, or if it returns true. */
  readonly fresh?: true | NeedsFresh
  /** Without it the handler gets no context that can change the host. */
  readonly foresee?: Foresee
  /** Throws what a command without `foresee` would refuse, by reading alone. */
  readonly check?: (context: ReadContext, incoming: Incoming<never>) => Promise<unknown>
  /** For many requests at once, as a file or a restore has them. */
  readonly together?: Together
  /** Ends a window, and so never waits in one. */
  readonly endsWindow?: true
  readonly audit: AuditAction
  /** Remembers the answer under the Idempotency-Key for ten minutes. */
  readonly isCreating?: boolean
  /** Honours If-Match (platform/http/if-match.ts). */
  readonly isVersioned?: boolean
}

export interface StreamContext extends ReadContext {
  readonly note: AuditNote
}

export interface Streamed {
  /** How many events may wait for a slow client. */
  readonly queue?: number
  /** For a POST; the entry is written when the stream has ended. */
  readonly audit?: AuditAction
}

export type Endpoint = Schemas &
  Described & { readonly route: Route } & (
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
/** Whether it can have root change the host in a way that waits for a confirmation. */
export const changesHost = (endpoint: Endpoint): boolean => 'foresee' in endpoint && !('endsWindow' in endpoint)
const WINDOWED_TAGS: readonly Tag[] = ['networks', 'pools', 'routes', 'settings', 'tunnels']
/** Whether it changes what a window puts back, even if it leaves the host alone. */
export const isWindowed = (endpoint: Endpoint): boolean =>
  endpoint.kind === 'command' && (changesHost(endpoint) || WINDOWED_TAGS.includes(endpoint.tag ?? 'other'))
export type StreamEndpoint = Endpoint & { readonly kind: 'stream' }
export type AuditedEndpoint = Endpoint & { readonly audit: AuditAction }

type Value<E, K extends string> = E extends { readonly [P in K]: infer S extends TSchema } ? Static<S> : unknown
type Handler<C, E> = (context: C, incoming: Incoming<Value<E, 'body'>>) => Promise<Sendable<Value<E, 'answer'>>>
type Opener<E> = (context: StreamContext, incoming: Incoming<Value<E, 'body'>>) => Promise<StreamSource>
type Routes<T, M extends Method = Method> = keyof T & `${M} /${string}`
type Observed<R> = Omit<Described, 'guards'> &
  Omit<Streamed, 'audit'> &
  (R extends `GET ${string}` ? { readonly audit?: never } : { readonly audit: AuditAction })

/** `More`: what a declaration may give beside what describes it. */
interface Declarations<T, More> {
  readonly query: <R extends Routes<T, 'GET'>>(
    route: R,
    described: Described & More,
    handle: Handler<ReadContext, T[R]>,
  ) => Endpoint
  readonly preview: <R extends Routes<T, 'POST'>>(
    route: R,
    described: Described & More,
    handle: Handler<ReadContext, T[R]>,
  ) => Endpoint
  readonly command: <R extends Routes<T>, F extends Foresee | undefined = undefined>(
    route: R,
    described: Described & Omit<Audited, 'foresee'> & { readonly foresee?: F } & More,
    handle: Handler<F extends Foresee ? CommandContext : StoreContext, T[R]>,
  ) => Endpoint
  /**
   * Who may not have the stream is refused by a throw, as anywhere; what is given back begins once the answer has. It
   * takes a session, always.
   */
  readonly stream: <R extends Routes<T, 'GET' | 'POST'>>(
    route: R,
    described: Observed<R> & More,
    handle: Opener<T[R]>,
  ) => Endpoint
}

/** The words in which the endpoints of a table are declared; their schemas come from it. */
export function declarations<T extends Readonly<Record<string, Schemas>>, More = unknown>(
  table: T,
): Declarations<T, More> {
  const declare = (kind: Endpoint['kind']) => (route: string, described: object, handle: unknown) => ({
    kind,
    route,
    ...table[route],
    ...described,
    handle,
  })
  return {
    query: declare('query'),
    preview: declare('preview'),
    command: declare('command'),
    stream: declare('stream'),
  } as unknown as Declarations<T, More>
}

export const { query, preview, command, stream } = declarations(ENDPOINTS)
