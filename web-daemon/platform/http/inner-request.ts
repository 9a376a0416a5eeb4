// A request within another one: its endpoint is found and its body read as if it had been sent.
import { NOTHING_FORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { ReadContext } from '../context.ts'
import { accepting, takeConfirmWithin } from './confirm-within.ts'
import { changesHost, type Endpoint, type Incoming, type Method } from './endpoint.ts'
import { takeKey } from './idempotency.ts'
import { findEndpoint } from './routes.ts'
import { readFields, type Body } from './validate.ts'

export interface InnerRequest {
  readonly method: string
  /** Below the base of the API. */
  readonly path: string
  readonly body: Body
  /** Whether the operator accepts to be cut off. */
  readonly accepts?: boolean
}

export interface Inner {
  readonly endpoint: Endpoint
  readonly incoming: Incoming<never>
}

/** `outer` is the request that it is part of. Otherwise as `findEndpoint`; throws 422 for a body that is refused. */
export function innerRequest(
  endpoints: readonly Endpoint[],
  { method, path, body, accepts = false }: InnerRequest,
  outer: Incoming<unknown>,
): Inner | { readonly methods: readonly Method[] } | null {
  const found = findEndpoint(endpoints, method, path)
  if (!found || 'methods' in found) return found
  const { endpoint, params } = found
  const isCreating = endpoint.kind === 'command' && endpoint.isCreating === true
  const accepted = accepts ? accepting(endpoint, body) : body
  const once = isCreating ? takeKey('', accepted).body : accepted
  const read = readFields(endpoint, changesHost(endpoint) ? takeConfirmWithin('', once).body : once)
  const own = { ...read, body: read.body as never, params, query: {}, if_match: '' }
  return { endpoint, incoming: { ...outer, ...own } }
}

export const foreseenBy = async ({ endpoint, incoming }: Inner, context: ReadContext): Promise<Foreseen> =>
  endpoint.kind === 'command' && endpoint.foresee ? endpoint.foresee(context, incoming) : NOTHING_FORESEEN
