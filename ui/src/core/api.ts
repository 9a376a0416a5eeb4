// The one way to the API, typed by the table of its endpoints: sends the CSRF header, renews a session that ran out and repeats the request, and throws `Refused`.
import type { EndpointName, Endpoints, PathParameters } from '@panel/shared/api/endpoints.ts'
import { api_base_path } from './panel.ts'
import { ApiError, parseApiError } from './api-error.ts'
import { singleFlight } from './single-flight.ts'

/** The page can read this cookie only; it lives as long as the session can be renewed. */
const csrfToken = (): string => /(?:^|; )panel_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? ''

export const hasSession = (): boolean => csrfToken() !== ''

interface SendOptions {
  readonly signal?: AbortSignal
  /** What the audit log shall know the request by. */
  readonly request_id?: string
}

type Part<R extends EndpointName, K extends string> = K extends keyof Endpoints[R] ? Endpoints[R][K] : never
type Optional<T> = { [K in keyof T]?: T[K] | undefined }
/** A body without required fields may be left out. */
type Body<B> = [B] extends [never] ? unknown : Partial<B> extends B ? { readonly body?: B } : { readonly body: B }
type Query<Q> = [Q] extends [never] ? unknown : { readonly query?: Optional<Q> }

/** What goes with a request: the parameters of the path by their names, `query` and `body`. */
export type RequestParams<R extends EndpointName> = { readonly [P in PathParameters<R>]: number | string } & Body<
  Part<R, 'body'>
> &
  Query<Part<R, 'query'>> &
  SendOptions
export type AnswerOf<R extends EndpointName> = Part<R, 'answer'>
/** Left out where there is nothing to give. */
export type Arguments<R extends EndpointName> =
  SendOptions extends RequestParams<R> ? [params?: RequestParams<R>] : [params: RequestParams<R>]

interface AnyParams extends SendOptions {
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Below the API's base. What is undefined in a query is left out. */
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

/** A server without power, or a network that swallows packets, ends no connection: a question has waited long enough by then. */
const ANSWER_MS = 60_000

/** Until an answer begins; what it holds may take its time on a slow line. */
const startTimeout = (): { readonly signal: AbortSignal; readonly end: () => void } => {
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(new DOMException('No answer', 'TimeoutError')), ANSWER_MS)
  return { signal: waiting.signal, end: () => clearTimeout(timer) }
}

/** For streams too, which read the answer themselves. */
export const request = async <R extends EndpointName>(route: R, ...args: Arguments<R>): Promise<Response> => {
  const { body, signal, request_id } = (args[0] ?? {}) as AnyParams
  const method = route.slice(0, route.indexOf(' '))
  const timeout = method === 'GET' && !signal ? startTimeout() : null
  const headers = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken() }),
    ...(request_id === undefined ? {} : { 'X-Request-Id': request_id }),
  }
  const init: RequestInit = {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(timeout ? { signal: timeout.signal } : signal ? { signal } : {}),
  }
  const response = await fetch(api_base_path + requestPath(route, ...args), init)
    .catch((failure: unknown) => {
      if (failure instanceof DOMException && failure.name === 'AbortError') throw failure
      throw new ApiError(0, {
        code: 'NO_ANSWER',
        message: 'The panel does not answer. Is its daemon running, and is the network up?',
      })
    })
    .finally(() => timeout?.end())
  if (!response.ok) throw parseApiError(response.status, await response.json().catch(() => null))
  return response
}

/** Without a second try: for what signs in and out. */
export const callOnce = async <R extends EndpointName>(route: R, ...args: Arguments<R>): Promise<AnswerOf<R>> => {
  const response = await request(route, ...args)
  return (await response.json().catch(() => Promise.reject(parseApiError(response.status, null)))) as AnswerOf<R>
}

let signInAgain: () => Promise<void> = () => Promise.reject(new Error('nobody can sign in yet'))
/** Told by the session once, which in turn asks through here. */
export const onSessionLost = (signIn: () => Promise<void>): void => {
  signInAgain = signIn
}

export const isSessionLost = (failure: unknown): boolean =>
  failure instanceof ApiError && ['UNAUTHENTICATED', 'CSRF_TOKEN_INVALID'].includes(failure.code)

/** Those who find the session over together wait for one renewal. */
const renew = singleFlight(async () => {
  try {
    await callOnce('POST /auth/refresh')
  } catch (failure) {
    if (!isSessionLost(failure)) throw failure
    await signInAgain()
  }
})

/** Whatever is asked is asked once more when the session had run out and could be renewed, or the operator signed in again. */
export const withSession = async <T>(send: () => Promise<T>): Promise<T> => {
  try {
    return await send()
  } catch (failure) {
    if (!isSessionLost(failure)) throw failure
    await renew()
    return send()
  }
}

export const call = <R extends EndpointName>(route: R, ...args: Arguments<R>): Promise<AnswerOf<R>> =>
  withSession(() => callOnce(route, ...args))
