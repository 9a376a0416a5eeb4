// The one way to the API: sends the CSRF header, renews a session that ran out and repeats the request, and throws `Refused`.
import { api_base_path } from './panel.ts'
import { Refused, refusalOf } from './refused.ts'
import { inflight } from './inflight.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The page can read this cookie only; it lives as long as the session can be renewed. */
const csrfToken = (): string => /(?:^|; )panel_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? ''

export const hasSession = (): boolean => csrfToken() !== ''

export interface Sending {
  readonly signal?: AbortSignal
  /** What the audit log shall know the request by. */
  readonly request_id?: string
}

/** A server without power, or a network that swallows packets, ends no connection: a question has waited long enough by then. */
const ANSWER_MS = 60_000

/** Until an answer begins; what it holds may take its time on a slow line. */
const patient = (): { readonly signal: AbortSignal; readonly end: () => void } => {
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(new DOMException('No answer', 'TimeoutError')), ANSWER_MS)
  return { signal: waiting.signal, end: () => clearTimeout(timer) }
}

/** For streams too, which read the answer themselves. */
export const request = async (
  method: Method,
  path: string,
  body?: unknown,
  { signal, request_id }: Sending = {},
): Promise<Response> => {
  const patience = method === 'GET' && !signal ? patient() : null
  const headers = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken() }),
    ...(request_id === undefined ? {} : { 'X-Request-Id': request_id }),
  }
  const init: RequestInit = {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(patience ? { signal: patience.signal } : signal ? { signal } : {}),
  }
  const response = await fetch(api_base_path + path, init)
    .catch((failure: unknown) => {
      if (failure instanceof DOMException && failure.name === 'AbortError') throw failure
      throw new Refused(0, {
        code: 'NO_ANSWER',
        message: 'The panel does not answer. Is its daemon running, and is the network up?',
      })
    })
    .finally(() => patience?.end())
  if (!response.ok) throw refusalOf(response.status, await response.json().catch(() => null))
  return response
}

/** Without a second try: for what signs in and out. */
export const askPlainly = async <T>(method: Method, path: string, body?: unknown, sending?: Sending): Promise<T> => {
  const response = await request(method, path, body, sending)
  return (await response.json().catch(() => Promise.reject(refusalOf(response.status, null)))) as T
}

let signInAgain: () => Promise<void> = () => Promise.reject(new Error('nobody can sign in yet'))
/** Told by the session once, which in turn asks through here. */
export const onSessionLost = (ask: () => Promise<void>): void => {
  signInAgain = ask
}

export const isSessionLost = (failure: unknown): boolean =>
  failure instanceof Refused && ['UNAUTHENTICATED', 'CSRF_TOKEN_INVALID'].includes(failure.code)

/** Those who find the session over together wait for one renewal. */
const renew = inflight(async () => {
  try {
    await askPlainly('POST', '/auth/refresh')
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

export const askWith = <T>(method: Method, path: string, body?: unknown, sending?: Sending): Promise<T> =>
  withSession(() => askPlainly<T>(method, path, body, sending))

export const get = <T>(path: string): Promise<T> => askWith('GET', path)
export const post = <T>(path: string, body?: unknown): Promise<T> => askWith('POST', path, body)
export const put = <T>(path: string, body?: unknown): Promise<T> => askWith('PUT', path, body)
export const patch = <T>(path: string, body?: unknown): Promise<T> => askWith('PATCH', path, body)
export const remove = <T>(path: string, body?: unknown): Promise<T> => askWith('DELETE', path, body)
