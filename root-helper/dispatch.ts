// One line in, one line out, and the items of a stream before it: the envelope is checked, then the method, then its
// params; nothing else reaches a handler.

// The package as a whole would bring its client into root.
import {
  createJSONRPCErrorResponse,
  JSONRPCErrorCode,
  JSONRPCErrorException,
  type JSONRPCRequest,
} from 'json-rpc-2.0/dist/models.js'
import { JSONRPCServer } from 'json-rpc-2.0/dist/server.js'
import { NestingError, parseJson } from '@panel/shared/json.ts'
import { METHODS, type MethodName, type Params, type StreamName } from '@panel/shared/rpc/methods.ts'
import { REFUSALS } from '@panel/shared/rpc/outcome.ts'
import type { Handlers } from './handlers.ts'
import { KernelError } from './kernel-error.ts'
import { log } from './log.ts'
import { RefusedError } from './refused.ts'
import type { Streams } from './streams.ts'
import { oneLine } from './text.ts'
import { VALIDATORS } from './validators.ts'
import { isWrite, recorded, type WriteRecord } from './write-record.ts'

/** `hangUp` tells the server to close the connection: a peer that sends what is not in the table is not the panel. */
export interface Reply {
  readonly text: string
  readonly hangUp: boolean
  /** The record of a change, for the log. */
  readonly write?: WriteRecord
}

/**
 * `streams` are those of the connection that the line came by. `onStream` is called if it is one, which may take days.
 */
export type Dispatch = (line: Uint8Array, streams: Streams, onStream?: () => void) => Promise<Reply>

interface Call {
  readonly id: unknown
  readonly streams: Streams
  readonly onStream: () => void
  write?: WriteRecord
}

export function dispatcherFor(handlers: Handlers): Dispatch {
  const server = new JSONRPCServer<Call>({ errorListener: () => undefined })
  server.mapErrorToJSONRPCErrorResponse = (id, error) => errorResponse(id, error)
  for (const name of Object.keys(METHODS) as MethodName[])
    server.addMethod(name, (params: unknown, call) => handle(handlers, name, params, call))
  return async (line, streams, onStream = () => undefined) => {
    const request = readEnvelope(line)
    if (typeof request === 'string') return refuse(request)
    const call: Call = { id: request.id, streams, onStream }
    const response = await server.receive(request, call)
    if (!response) return refuse('A request without an id gets no answer, and nothing here is asked without one')
    const reply = { text: JSON.stringify(response), hangUp: isMalformed(response.error?.code) }
    return call.write ? { ...reply, write: call.write } : reply
  }
}

async function handle(handlers: Handlers, name: MethodName, params: unknown, call: Call): Promise<unknown> {
  const { id, streams, onStream } = call
  const validate = VALIDATORS[name]
  if (!validate(params)) {
    const [first] = validate.errors ?? []
    throw new RefusedError('malformed', oneLine(`params${first?.instancePath ?? ''} ${first?.message ?? 'do not fit'}`))
  }
  if (name === 'stream.cancel') return { was_running: streams.cancel((params as Params<'stream.cancel'>).id) }
  if (isStream(name)) {
    const result = streams.run(streamId(id), (signal) =>
      (handlers[name] as (params: unknown, signal: AbortSignal) => AsyncGenerator<unknown, unknown, void>)(
        params,
        signal,
      ),
    )
    onStream()
    return result
  }
  const work = (): Promise<unknown> => (handlers[name] as (params: unknown) => Promise<unknown>)(params)
  return isWrite(name) ? recorded([name, params], work, (write) => (call.write = write)) : work()
}

const isStream = (name: MethodName): name is StreamName => METHODS[name].effect === 'stream'

/** It is repeated with each item, so it must not be a text of arbitrary length. */
function streamId(id: unknown): number {
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return id
  throw new RefusedError('malformed', 'The id of a stream is a whole number')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A string instead of a request says what is wrong with the line. */
function readEnvelope(line: Uint8Array): JSONRPCRequest | string {
  let value: unknown
  try {
    value = parseJson(decoder.decode(line))
  } catch (error) {
    return error instanceof NestingError ? error.message : 'The line is not one JSON value in UTF-8'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'The line is not one JSON-RPC request object; batches are not taken'
  const { jsonrpc, method, id, ...rest } = value as Record<string, unknown>
  if (jsonrpc !== '2.0' || typeof method !== 'string') return 'The request lacks "jsonrpc":"2.0" or a method'
  if (typeof id !== 'number' && typeof id !== 'string') return 'The request lacks an id'
  if (Object.keys(rest).some((key) => key !== 'params')) return 'The request has properties that JSON-RPC does not know'
  if (!Object.hasOwn(METHODS, method)) return `There is no such method; there are ${Object.keys(METHODS).join(', ')}`
  return value as JSONRPCRequest
}

/** The answer to a line that is not a valid request. */
export const refuse = (message: string): Reply => ({
  text: JSON.stringify(createJSONRPCErrorResponse(null, JSONRPCErrorCode.InvalidRequest, message)),
  hangUp: true,
})

const isMalformed = (code: number | undefined): boolean => code === REFUSALS.malformed

function errorResponse(id: string | number | null, error: unknown) {
  if (error instanceof RefusedError)
    return createJSONRPCErrorResponse(id, REFUSALS[error.code], error.message, { code: error.code })
  if (error instanceof KernelError)
    return createJSONRPCErrorResponse(id, REFUSALS.kernel_refused, oneLine(error.message), { code: 'kernel_refused' })
  if (error instanceof JSONRPCErrorException) return createJSONRPCErrorResponse(id, error.code, error.message)
  log('error', 'A request failed in a way that nobody foresaw', {
    detail: error instanceof Error ? error.stack : String(error),
  })
  return createJSONRPCErrorResponse(id, JSONRPCErrorCode.InternalError, 'The helper failed; its log says why')
}
