// Sends requests to the root helper and validates each answer against the schema in METHODS.
import { isJSONRPCResponse, JSONRPCClient, JSONRPCErrorException } from 'json-rpc-2.0'
import type { Logger } from 'pino'
import { METHODS, type Result, type Writer } from '@panel/shared/rpc/methods.ts'
import { Connection } from './connection.ts'
import { helperAway, refusalFromRpc } from './refusals.ts'
import { makeShapeCheck } from './shapes.ts'
import { makeStreams, type Streamer, type Streams } from './streams.ts'

/** decisions.md, W11. */
export const TIMEOUTS_MS = { read: 10_000, write: 60_000 } as const

export interface HelperClient {
  readonly request: Writer
  readonly stream: Streamer
  readonly isConnected: () => boolean
  readonly close: () => void
}

export function connectHelper(
  socketPath: string,
  logger: Logger,
  timeouts: { read: number; write: number } = TIMEOUTS_MS,
): HelperClient {
  const connection = new Connection(socketPath, {
    onLine: (line) => receive(rpc, streams, connection, line),
    onClose: (reason) => {
      logger.warn({ reason }, 'lost the connection to the root helper')
      rpc.rejectAllPendingRequests(reason)
    },
  })
  let lastId = 0
  const nextId = (): number => ++lastId
  const rpc = new JSONRPCClient<number>(
    (request, timeoutMs) => connection.send(JSON.stringify(request), timeoutMs),
    nextId,
  )
  const check = makeShapeCheck(logger)
  const streams = makeStreams({ rpc, check, nextId, endingMs: timeouts.read })
  const request: Writer = async (method, params) => {
    const timeoutMs = timeouts[METHODS[method].effect]
    const result: unknown = await rpc
      .timeout(timeoutMs)
      .request(method, params, timeoutMs)
      .then((answer: unknown) => answer, refuse)
    check(method, METHODS[method].result, result)
    return result as Result<typeof method>
  }
  return {
    request,
    stream: streams.stream,
    isConnected: () => connection.isOpen,
    close: () => connection.close('the panel stops'),
  }
}

/** Anything but an answer or an item closes the connection, as nothing after it can be trusted. */
const receive = (rpc: JSONRPCClient<number>, streams: Streams, connection: Connection, line: Uint8Array): void => {
  const message = parsed(line)
  if (typeof message === 'object' && message !== null && isJSONRPCResponse(message)) rpc.receive(message)
  else if (typeof message === 'object' && message !== null && streams.receive(message)) return
  else connection.close('the root helper sent something that is no answer')
}

const parsed = (line: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line)) as unknown
  } catch {
    return null
  }
}

const refuse = (failure: unknown): never => {
  if (failure instanceof JSONRPCErrorException) throw refusalFromRpc(failure)
  throw helperAway(failure instanceof Error ? failure.message : String(failure))
}
