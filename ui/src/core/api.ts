// The API client, typed by the endpoint table: CSRF header, session renewal with one retry, and `ApiError`.
import type { EndpointName, Endpoints, PathParameters } from '@panel/shared/api/endpoints.ts'
import { api_base_path } from './panel.ts'
import { ApiError, parseApiError } from './api-error.ts'
import { singleFlight } from './single-flight.ts'

/** The only cookie readable here; it lives as long as the session can be renewed. */
const csrfToken = (): string => /(?:^|; )panel_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? ''

export const hasSession = (): boolean => csrfToken() !== ''

interface SendOptions {
  readonly signal?: AbortSignal
  /** Request id recorded in the audit log. */
  readonly request_id?: string
  /** The version of the record that the change is of: its updated_date. */
  readonly if_match?: string | undefined
}

type Part<R extends EndpointName, K extends string> = K extends keyof Endpoints[R] ? Endpoints[R][K] : never
type Optional<T> = { [K in keyof T]?: T[K] | undefined }
/** A body without required fields may be left out. */
type Body<B> = [B] extends [never] ? unknown : Partial<B> extends B ? { readonly body?: B } : { readonly body: B }
type Query<Q> = [Q] extends [never] ? unknown : { readonly query?: Optional<Q> }

/** Path parameters by name, `query` and `body`. */
export type RequestParams<R extends EndpointName> = { readonly [P in PathParameters<R>]: number | string } & Body<
  Part<R, 'body'>
> &
  Query<Part<R, 'query'>> &
  SendOptions
export type AnswerOf<R extends EndpointName> = Part<R, 'answer'>
/** Optional if nothing is required. */
export type Arguments<R extends EndpointName> =
  SendOptions extends RequestParams<R> ? [params?: RequestParams<R>] : [params: RequestParams<R>]

interface AnyParams extends SendOptions {
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Relative to the API's base. Undefined query values are omitted. */
export const requestPath = <R extends EndpointName>(route: R, ...[params]: Arguments<R>): string => {
  const { query = {}, ...ids } = (params ?? {}) as AnyParams & Readonly<Record<string, unknown>>
  const path = route
    .replace(/^\w+ /, '')
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids[name])))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
  return search.size === 0 ? path : `${path}?${search}`
}

/** A dead server, or a network that drops packets, never closes the connection. */
const ANSWER_MS = 60_000

/** Covers the time to the response headers only. */
const startTimeout = (): { readonly signal: AbortSignal; readonly end: () => void } => {
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort('no answer'), ANSWER_MS)
  return { signal: waiting.signal, end: () => clearTimeout(timer) }
}

/** Headers of changes: of all from now on, and of the next one alone. */
export const sentAlong: { all: HeadersInit; next: HeadersInit } = { all: {}, next: {} }

/** Also for streams, which read the response themselves. */
export const request = async <R extends EndpointName>(route: R, ...args: Arguments<R>): Promise<Response> => {
  const { body, signal, request_id, if_match } = (args[0] ?? {}) as AnyParams
  const method = route.slice(0, route.indexOf(' '))
  const timeout = method === 'GET' && !signal ? startTimeout() : null
  const headers = {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(method !== 'GET' && { 'X-CSRF-Token': csrfToken(), ...sentAlong.all, ...sentAlong.next }),
    ...(request_id !== undefined && { 'X-Request-Id': request_id }),
    ...(if_match !== undefined && { 'If-Match': `"${if_match}"` }),
  }
  const init: RequestInit = {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(timeout ? { signal: timeout.signal } : signal ? { signal } : {}),
  }
  return fetchOk(api_base_path + requestPath(route, ...args), init).finally(() => timeout?.end())
}

/** Rejects with an `ApiError` where there is no answer, or one that refuses; also for what lies outside of the API. */
export const fetchOk = async (address: string, init?: RequestInit): Promise<Response> => {
  const response = await fetch(address, init).catch((failure: unknown) => {
    if (failure instanceof DOMException && failure.name === 'AbortError') throw failure
    throw new ApiError(
      0,
      { code: 'NO_ANSWER', message: 'The panel does not answer. Is its daemon running, and is the network up?' },
      { message_id: 'panel.no_answer' },
    )
  })
  if (!response.ok)
    throw parseApiError(response.status, await response.json().catch(() => null), response.headers.get('X-Message'))
  return response
}

/** Without a retry: for signing in and out. */
export const callOnce = async <R extends EndpointName>(route: R, ...args: Arguments<R>): Promise<AnswerOf<R>> => {
  const response = await request(route, ...args)
  return (await response.json().catch(() => Promise.reject(parseApiError(response.status, null)))) as AnswerOf<R>
}

let signInAgain: () => Promise<void> = () => Promise.reject(new Error('nobody can sign in yet'))
/** Set once by the session, which itself uses this client. */
export const onSessionLost = (signIn: () => Promise<void>): void => {
  signInAgain = signIn
}

export const isSessionLost = (failure: unknown): boolean =>
  failure instanceof ApiError && ['UNAUTHENTICATED', 'CSRF_TOKEN_INVALID'].includes(failure.code)

/** Concurrent callers share one renewal. */
const renew = singleFlight(async () => {
  try {
    await callOnce('POST /auth/refresh')
  } catch (failure) {
    if (!isSessionLost(failure)) throw failure
    await signInAgain()
  }
})

/** Rejects if the operator cancels. */
export let givePassword: () => Promise<void>
/** Set once, by the root of the page. */
export const onPasswordNeeded = (ask: () => Promise<void>): void => {
  givePassword = singleFlight(ask)
}

const needsPassword = (failure: unknown): boolean =>
  failure instanceof ApiError && failure.code === 'FRESH_PASSWORD_REQUIRED'

/** Sends once more after what the failure calls for. */
const again = async <T>(
  send: () => Promise<T>,
  isFor: (failure: unknown) => boolean,
  mend: () => Promise<void>,
): Promise<T> => {
  try {
    return await send()
  } catch (failure) {
    if (!isFor(failure)) throw failure
    await mend()
    return send()
  }
}

/** Retries once after the session was renewed or the operator signed in again, and once after the password was given. */
export const withSession = <T>(send: () => Promise<T>): Promise<T> =>
  again(
    () => again(send, isSessionLost, renew),
    needsPassword,
    () => givePassword(),
  )

export const call = <R extends EndpointName>(route: R, ...args: Arguments<R>): Promise<AnswerOf<R>> => {
  const { next } = sentAlong
  return withSession(() => callOnce(route, ...args)).finally(() => {
    if (sentAlong.next === next && !route.startsWith('GET')) sentAlong.next = {}
  })
}
