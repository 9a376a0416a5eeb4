// The streams asked of the root helper: each item is checked and handed to who asked, until the answer ends the stream.
import { createJSONRPCRequest, JSONRPCErrorException, type JSONRPCClient } from 'json-rpc-2.0'
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
 * Resolves with the result that the stream ends with. Aborting has root end it, and that result comes too. Rejects where the connection is
 * lost; connecting again is the caller's matter. An `onItem` that throws ends the stream with what it throws.
 */
export type Streamer = <M extends StreamName>(
  method: M,
  params: Params<M>,
  onItem: (item: Item<M>) => void,
  signal: AbortSignal,
) => Promise<Result<M>>

export interface Streams {
  readonly stream: Streamer
  /** False where the message is no item. An item of a stream that has ended meanwhile is dropped. */
  readonly receive: (message: object) => boolean
}

interface Means {
  readonly rpc: JSONRPCClient<number>
  readonly check: Check
  readonly nextId: () => number
  /** How long root may take to end a stream. */
  readonly endingMs: number
}

export const makeStreams = ({ rpc, check, nextId, endingMs }: Means): Streams => {
  const takers = new Map<number, (item: unknown) => void>()

  const stream: Streamer = async (method, params, onItem, signal) => {
    signal.throwIfAborted()
    const id = nextId()
    let end = (): void => undefined
    let overdue: NodeJS.Timeout | undefined
    const failed = new Promise<never>((_resolve, reject) => {
      end = () => {
        overdue = setTimeout(() => reject(helperAway('a stream does not end')), endingMs)
        rpc
          .timeout(endingMs)
          .request('stream.cancel', { id }, Infinity)
          .then(undefined, () => reject(helperAway('a stream cannot be ended')))
      }
      takers.set(id, (item) => {
        try {
          check(method, METHODS[method].item, item)
          onItem(item as Item<typeof method>)
        } catch (thrown) {
          reject(thrown as Error)
          end()
        }
      })
    })
    signal.addEventListener('abort', end, { once: true })
    try {
      // It waits as long as it takes until root reads it: a stream that is asked for late is still one.
      const { error, result } = await Promise.race([
        rpc.requestAdvanced(createJSONRPCRequest(id, method, params), Infinity),
        failed,
      ])
      if (error) throw refusalFor(new JSONRPCErrorException(error.message, error.code, error.data))
      check(method, METHODS[method].result, result)
      return result as Result<typeof method>
    } finally {
      takers.delete(id)
      clearTimeout(overdue)
      signal.removeEventListener('abort', end)
    }
  }

  return { stream, receive: (message) => deliver(takers, message) }
}

function deliver(takers: ReadonlyMap<number, (item: unknown) => void>, message: object): boolean {
  const { jsonrpc, method, params } = message as Partial<Record<'jsonrpc' | 'method' | 'params', unknown>>
  if (jsonrpc !== '2.0' || method !== STREAM_ITEM || typeof params !== 'object' || params === null) return false
  const { id, item } = params as { id?: unknown; item?: unknown }
  if (typeof id !== 'number') return false
  takers.get(id)?.(item)
  return true
}
