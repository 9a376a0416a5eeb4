// Streams of the root helper: each item is validated and handed to the caller until the answer ends the stream.
import { createJSONRPCRequest, JSONRPCErrorException, type JSONRPCClient, type JSONRPCResponse } from 'json-rpc-2.0'
import {
  METHODS,
  STREAM_ITEM,
  type Item,
  type Params,
  type Result,
  type StreamName,
} from '@panel/shared/rpc/methods.ts'
import { helperAway, refusalFor } from './refusals.ts'
import type { Check } from './shapes.ts'

/**
 * Resolves with the result that ends the stream. Aborting makes root end it, and the result still comes. Rejects if the
 * connection is lost; the caller decides whether to restart. If `onItem` throws, the stream ends with that error.
 */
export type Streamer = <M extends StreamName>(
  method: M,
  params: Params<M>,
  onItem: (item: Item<M>) => void,
  signal: AbortSignal,
) => Promise<Result<M>>

export interface Streams {
  readonly stream: Streamer
  /** False if the message is not an item. Items of ended streams are dropped. */
  readonly receive: (message: object) => boolean
}

interface Deps {
  readonly rpc: JSONRPCClient<number>
  readonly check: Check
  readonly nextId: () => number
  /** How long root may take to end a stream. */
  readonly endingMs: number
}

type Receivers = Map<number, (item: unknown) => void>

export function makeStreams(deps: Deps): Streams {
  const receivers: Receivers = new Map()

  const stream: Streamer = async (method, params, onItem, signal) => {
    signal.throwIfAborted()
    const id = deps.nextId()
    const cancellation = makeCancellation(deps, id)
    receivers.set(id, (item) => {
      try {
        deps.check(method, METHODS[method].item, item)
        onItem(item as Item<typeof method>)
      } catch (thrown) {
        cancellation.fail(thrown)
      }
    })
    signal.addEventListener('abort', cancellation.cancel, { once: true })
    try {
      // Without a time-out: a stream is still wanted when root reads the request late.
      const request = deps.rpc.requestAdvanced(createJSONRPCRequest(id, method, params), Infinity)
      return resultOf(deps, method, await Promise.race([request, cancellation.failed]))
    } finally {
      receivers.delete(id)
      cancellation.clear()
      signal.removeEventListener('abort', cancellation.cancel)
    }
  }

  return { stream, receive: (message) => deliver(receivers, message) }
}

function resultOf<M extends StreamName>(
  { check }: Deps,
  method: M,
  { error, result }: Pick<JSONRPCResponse, 'error' | 'result'>,
): Result<M> {
  if (error) throw refusalFor(new JSONRPCErrorException(error.message, error.code, error.data))
  check(method, METHODS[method].result, result)
  return result as Result<M>
}

/** Asks root to end the stream. `failed` rejects if an item could not be used, or if root does not end it in time. */
function makeCancellation({ rpc, endingMs }: Deps, id: number) {
  let reject: (reason: Error) => void = () => undefined
  let overdue: NodeJS.Timeout | undefined
  const failed = new Promise<never>((_resolve, rejectFailed) => (reject = rejectFailed))
  const cancel = (): void => {
    overdue = setTimeout(() => reject(helperAway('a stream does not end')), endingMs)
    rpc
      .timeout(endingMs)
      .request('stream.cancel', { id }, Infinity)
      .then(undefined, () => reject(helperAway('a stream cannot be ended')))
  }
  const fail = (thrown: unknown): void => {
    reject(thrown as Error)
    cancel()
  }
  return { failed, cancel, fail, clear: () => clearTimeout(overdue) }
}

function deliver(receivers: Receivers, message: object): boolean {
  const { jsonrpc, method, params } = message as Partial<Record<'jsonrpc' | 'method' | 'params', unknown>>
  if (jsonrpc !== '2.0' || method !== STREAM_ITEM || typeof params !== 'object' || params === null) return false
  const { id, item } = params as { id?: unknown; item?: unknown }
  if (typeof id !== 'number') return false
  receivers.get(id)?.(item)
  return true
}
