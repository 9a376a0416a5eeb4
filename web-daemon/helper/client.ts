// Asks the root helper, and believes an answer only in the shape that METHODS gives it.
import { Ajv, type ValidateFunction } from 'ajv'
import { isJSONRPCResponse, JSONRPCClient, JSONRPCErrorException } from 'json-rpc-2.0'
import type { Logger } from 'pino'
import { METHODS, type MethodName, type Result, type Writer } from '@panel/shared/rpc/methods.ts'
import { Refusal } from '../http/refusal.ts'
import { Connection } from './connection.ts'
import { helperAway, refusalFor } from './refusals.ts'

/** decisions.md, W11. */
export const TIMEOUTS_MS = { read: 10_000, write: 60_000 } as const

export interface HelperClient {
  readonly ask: Writer
  readonly isConnected: () => boolean
  readonly close: () => void
}

export const connectHelper = (socketPath: string, logger: Logger, timeouts: { read: number; write: number } = TIMEOUTS_MS): HelperClient => {
  const connection = new Connection(socketPath, {
    onLine: (line) => receive(rpc, connection, line),
    onClose: (reason) => {
      logger.warn({ reason }, 'no connection to the root helper')
      rpc.rejectAllPendingRequests(reason)
    },
  })
  const rpc = new JSONRPCClient<number>((request, timeoutMs) => connection.send(JSON.stringify(request), timeoutMs))
  const ask: Writer = async (method, params) => {
    const timeoutMs = timeouts[METHODS[method].effect]
    const result: unknown = await rpc.timeout(timeoutMs).request(method, params, timeoutMs).then((answer: unknown) => answer, refuse)
    return checked(method, result, logger)
  }
  return { ask, isConnected: () => connection.isOpen, close: () => connection.close('the panel stops') }
}

/** Anything but an answer ends the connection: what follows on it cannot be trusted either. */
const receive = (rpc: JSONRPCClient<number>, connection: Connection, line: Uint8Array): void => {
  const message = parsed(line)
  if (typeof message === 'object' && message !== null && isJSONRPCResponse(message)) rpc.receive(message)
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
  if (failure instanceof JSONRPCErrorException) throw refusalFor(failure)
  throw helperAway(failure instanceof Error ? failure.message : String(failure))
}

const ajv = new Ajv({ strictTypes: false })
const validators = new Map<MethodName, ValidateFunction>()

const checked = <M extends MethodName>(method: M, result: unknown, logger: Logger): Result<M> => {
  const validator = validators.get(method) ?? ajv.compile(METHODS[method].result)
  validators.set(method, validator)
  if (validator(result)) return result as Result<M>
  logger.error({ method, errors: validator.errors }, 'the root helper answered out of shape')
  throw new Refusal('HELPER_UNAVAILABLE', 'The root helper answers in a way that this build does not understand. Are both of the same version?')
}

