// One line in, at most one line out: the envelope is checked, then the method, then its params; nothing else reaches a handler.
import { createJSONRPCErrorResponse, JSONRPCErrorCode, JSONRPCErrorException, JSONRPCServer, type JSONRPCRequest } from 'json-rpc-2.0'
import { METHODS, type MethodName } from '@panel/shared/rpc/methods.ts'
import { REFUSALS } from '@panel/shared/rpc/outcome.ts'
import type { Handlers } from './handlers.ts'
import { KernelError } from './kernel/facilities.ts'
import { log } from './log.ts'
import { RefusedError } from './refused.ts'
import { oneLine } from './transaction.ts'
import { VALIDATORS } from './validators.ts'

/** `hangUp` asks the server to close the connection: who sends what is not in the table is not the panel. */
export interface Reply {
  readonly text: string
  readonly hangUp: boolean
}

export function dispatcherFor(handlers: Handlers): (line: Uint8Array) => Promise<Reply> {
  const server = new JSONRPCServer({ errorListener: () => undefined })
  server.mapErrorToJSONRPCErrorResponse = (id, error) => errorResponse(id, error)
  for (const name of Object.keys(METHODS) as MethodName[]) server.addMethod(name, (params: unknown) => handle(handlers, name, params))
  return async (line) => {
    const request = readEnvelope(line)
    if (typeof request === 'string') return refuse(request)
    const response = await server.receive(request)
    if (!response) return refuse('A request without an id gets no answer, and nothing here is asked without one')
    return { text: JSON.stringify(response), hangUp: isMalformed(response.error?.code) }
  }
}

async function handle<M extends MethodName>(handlers: Handlers, name: M, params: unknown): Promise<unknown> {
  const validate = VALIDATORS[name]
  if (!validate(params)) {
    const [first] = validate.errors ?? []
    throw new RefusedError('malformed', oneLine(`params${first?.instancePath ?? ''} ${first?.message ?? 'do not fit'}`))
  }
  return (handlers[name] as (params: unknown) => Promise<unknown>)(params)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A sentence in the place of a request says what is wrong with the line. */
function readEnvelope(line: Uint8Array): JSONRPCRequest | string {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(line))
  } catch {
    return 'The line is not one JSON value in UTF-8'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'The line is not one JSON-RPC request object; batches are not taken'
  const { jsonrpc, method, id, ...rest } = value as Record<string, unknown>
  if (jsonrpc !== '2.0' || typeof method !== 'string') return 'The request lacks "jsonrpc":"2.0" or a method'
  if (typeof id !== 'number' && typeof id !== 'string') return 'The request lacks an id'
  if (Object.keys(rest).some((key) => key !== 'params')) return 'The request has properties that JSON-RPC does not know'
  if (!Object.hasOwn(METHODS, method)) return `There is no such method; there are ${Object.keys(METHODS).join(', ')}`
  return value as JSONRPCRequest
}

/** To a line that is no request of ours. */
export const refuse = (message: string): Reply => ({ text: JSON.stringify(createJSONRPCErrorResponse(null, JSONRPCErrorCode.InvalidRequest, message)), hangUp: true })

const isMalformed = (code: number | undefined): boolean => code === REFUSALS.malformed

function errorResponse(id: string | number | null, error: unknown) {
  if (error instanceof RefusedError) return createJSONRPCErrorResponse(id, REFUSALS[error.code], error.message, { code: error.code })
  if (error instanceof KernelError) return createJSONRPCErrorResponse(id, REFUSALS.kernel_refused, oneLine(error.message), { code: 'kernel_refused' })
  if (error instanceof JSONRPCErrorException) return createJSONRPCErrorResponse(id, error.code, error.message)
  log('error', 'A request failed in a way that nobody foresaw', { detail: error instanceof Error ? error.stack : String(error) })
  return createJSONRPCErrorResponse(id, JSONRPCErrorCode.InternalError, 'The helper failed; its log says why')
}
