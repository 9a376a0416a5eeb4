// What asks for consent to a change that may cut the operator's own connection, with the browser's address, and sends it
// behind the overlay.
import type { EndpointName, Endpoints } from '@panel/shared/api/endpoints.ts'
import type { ImpactBody } from '@panel/shared/api/impact/impact.ts'
import { call, requestPath, type AnswerOf, type Arguments } from './api.ts'
import { confirm } from './confirm.svelte.ts'
import { overlay, type OwnConnection } from './connection-overlay.svelte.ts'
import { messages, say, t } from './i18n.svelte.ts'
import { loaded } from './loaded.ts'
import { sentences } from './sentences.ts'
import { changeOutcome, isLost } from './lost-response.ts'
import { invalidate } from './query.svelte.ts'
import { toApiError, type ApiError } from './api-error.ts'
import { Cancelled } from './cancelled.ts'

type Consent = 'i_understand_i_may_lose_access'
/** Endpoints that accept the flag. */
export type Risky = {
  [R in EndpointName]: Endpoints[R] extends { body: infer B } ? (Consent extends keyof B ? R : never) : never
}[EndpointName]

const TEXTS = {
  through_tunnel: 'own_access.text',
  route_goes: 'own_access.text',
  route_captured: 'own_access.captured',
} as const

interface CutDetails {
  readonly client_ip?: string
  /** Absent where it is a network behind tunnels that matters. */
  readonly interface_name?: string
  readonly network?: string
  readonly how?: keyof typeof TEXTS
  readonly moves_to?: string | null
  readonly safe_apply?: object
}

/** Resolves to null if the change was applied but its answer was lost. */
export const sendWithConsent = async <R extends Risky>(
  refused: ApiError,
  route: R,
  ...args: Arguments<R>
): Promise<AnswerOf<R> | null> => {
  await Promise.all([loaded(() => messages.load(['own_access'])), messages.ready(refused)])
  const {
    client_ip: address = '',
    network = '',
    interface_name: name = network,
    how = 'through_tunnel',
    moves_to = null,
    safe_apply: offered = {},
  } = refused.details as CutDetails
  const { confirm_within_seconds: seconds = null } = offered as { confirm_within_seconds?: number }
  const text = refused.code === 'NETWORK_CUTS_OWN_ACCESS' ? say(refused) : t(TEXTS[how], { address, name })
  const consent = await askForAccess(text, seconds, requestOf(route, ...args))
  const send = (more: object, comes_back_within: number | null): Promise<AnswerOf<R> | null> =>
    withOverlay({ address, name, comes_back_within }, (request_id) =>
      call(route, ...withBody<R>(args, more, { request_id })),
    )
  const comes_back_within = 'confirm_within_seconds' in consent ? seconds : null
  lastSent =
    comes_back_within === null
      ? null
      : {
          seconds: comes_back_within,
          moves_to,
          at: Date.now(),
          again: (more) => send({ confirm_within_seconds: more }, more),
        }
  return send(consent, comes_back_within)
}

interface Sent {
  readonly seconds: number
  /** The address of the panel afterwards; null where it stays. */
  readonly moves_to: string | null
  readonly at: number
  readonly again: (seconds: number) => Promise<unknown>
}
/** What this page sent last to come back by itself. */
export let lastSent: Sent | null = null

/** Resolves to what the request says more when it is sent again. */
const askForAccess = async (text: string, seconds: number | null, request: ImpactBody): Promise<object> => {
  let isForGood = seconds === null
  const without = t('own_access.action')
  const isConfirmed = await confirm({
    title: t('own_access.title'),
    request,
    text: sentences(text, seconds === null ? '' : t('own_access.way_back_text', { seconds })),
    ...(seconds === null
      ? { action: without, isDanger: true }
      : {
          action: t('own_access.way_back', { seconds }),
          other: { action: without, choose: () => (isForGood = true) },
        }),
  })
  if (!isConfirmed) throw new Cancelled()
  return isForGood ? { i_understand_i_may_lose_access: true } : { confirm_within_seconds: seconds }
}

const requestOf = <R extends Risky>(route: R, ...args: Arguments<R>): ImpactBody => {
  const { body } = (args[0] ?? {}) as { readonly body?: object }
  const method = route.slice(0, route.indexOf(' ')) as ImpactBody['method']
  return { method, path: requestPath(route, ...args), body: { ...body } }
}

/** Adds fields to the body. */
const withBody = <R extends Risky>([params]: Arguments<R>, more: object = {}, options: object = {}): Arguments<R> => {
  const body = params !== undefined && 'body' in params ? (params.body as object) : {}
  return [{ ...params, body: { ...body, ...more }, ...options }] as unknown as Arguments<R>
}

const withOverlay = async <T>(own: OwnConnection, change: (request_id: string) => Promise<T>): Promise<T | null> => {
  const request_id = `page-${Date.now()}-${Math.random().toString(36).slice(2)}`
  const stop = new AbortController()
  overlay.open(own)
  try {
    const outcome = changeOutcome(request_id, stop.signal)
    const answer = await Promise.race([
      change(request_id).catch((thrown: unknown) => (isLost(thrown) ? outcome : Promise.reject(thrown as Error))),
      outcome,
    ])
    // What waits for a confirmation says so itself.
    if (own.comes_back_within === null) overlay.end('applied')
    else overlay.close()
    return answer
  } catch (thrown) {
    const error = toApiError(thrown)
    if (error.code === 'APPLY_FAILED') overlay.end('rolled_back', error)
    else if (isLost(thrown)) overlay.end('silent')
    else overlay.close()
    throw thrown
  } finally {
    void invalidate('/safe-apply')
    stop.abort()
  }
}
