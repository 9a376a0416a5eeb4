// The four kinds of endpoint: a query, a preview and a stream are handed a context that can only read, a command one that can change.
// Router, body validation and the API description are made from the same list of these values.
import type { Static, TObject, TSchema } from '@panel/shared/schema.ts'
import type { CommandContext, ReadContext } from '../context.ts'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { AuditNote } from './audit-note.ts'
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

/** The signed-in operator, as the session cookie proves it: until it expires (by the settings of the moment of asking), or the account is of another version. */
export interface Session {
  readonly user_id: number
  readonly username: string
  readonly token_version: number
  readonly expires_at: Date
}

/** What a handler is given of a request. `params` are path ids; a path whose id is no number never arrives here. */
export interface Incoming<B = unknown> {
  readonly params: Readonly<Record<string, number>>
  readonly query: Readonly<Record<string, string>>
  readonly body: B
  /** Prefilled with what the schema found wrong where the endpoint gathers problems, and empty otherwise. */
  readonly problems: Problems
  readonly cookies: Readonly<Record<string, string>>
  /** The address of the connection, never of a header. */
  readonly client_ip: string
  /** The port of this server that the connection came to: the panel's own. */
  readonly server_port: number
  readonly is_secure: boolean
  readonly request_id: string
  readonly session: Session | null
  /** Aborted when the client goes away: what was asked for nobody but him need not go on. */
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

export const ok = (body: unknown): Answer => ({ status: 200, body })
export const created = (body: unknown): Answer => ({ status: 201, body })

interface Described<S extends TSchema> {
  /** An endpoint that says neither of itself shows in the API description as undocumented. */
  readonly tag?: Tag
  readonly summary?: string
  readonly body?: S
  /** What it reads of the query; nothing else of that arrives. Each is lenient in its own way, so nothing is refused by this. */
  readonly query?: TObject
  /** What a success holds. */
  readonly answer?: TSchema
  /** The handler adds its own findings to `problems` and throws them itself; fields that the schema refused are left out of `body`. */
  readonly gathersProblems?: boolean
  /** Where it is another than for all. */
  readonly body_limit_bytes?: number
  /** Which guards stand before it; all do unless said otherwise. */
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
  /** Of a POST; the entry is written once the stream has ended. */
  readonly audit?: AuditAction
  /** What it sends, by the name of the event. */
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

export const query = <S extends TSchema>(
  route: `GET /${string}`,
  described: Described<S>,
  handle: Reads<S>,
): Endpoint => ({ kind: 'query', route, ...described, handle }) as Endpoint

export const preview = <S extends TSchema>(
  route: `POST /${string}`,
  described: Described<S>,
  handle: Reads<S>,
): Endpoint => ({ kind: 'preview', route, ...described, handle }) as Endpoint

export const command = <S extends TSchema>(
  route: Route,
  described: Described<S> & Audited,
  handle: Changes<S>,
): Endpoint => ({ kind: 'command', route, ...described, handle }) as Endpoint

type StreamRules<R extends Route> = R extends `GET ${string}`
  ? { readonly audit?: never }
  : { readonly audit: AuditAction }

/** Who may not have the stream is refused by a throw, as anywhere; what is given back begins once the answer has. It takes a session, always. */
export const stream = <S extends TSchema, R extends `GET /${string}` | `POST /${string}`>(
  route: R,
  described: Omit<Described<S>, 'guards' | 'answer'> & Omit<Streamed, 'audit'> & StreamRules<R>,
  handle: Opens<S>,
): Endpoint => ({ kind: 'stream', route, ...described, handle }) as Endpoint
