// The helper's socket, without a web daemon before it: one connection, one question at a time.
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { LineSplitter } from '@panel/shared/rpc/framing.ts'
import type { MethodName, Params, Result } from '@panel/shared/rpc/methods.ts'

export interface Answered<R> {
  readonly result: R
  readonly bytes: number
  /** The time from the call to the end of the line; reading the JSON is not part of it. */
  readonly ms: number
}

export class Helper {
  readonly #socket: Socket
  readonly #splitter = new LineSplitter()
  #id = 0
  #take: (line: Uint8Array) => void = () => undefined
  #fail: (error: Error) => void = () => undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#splitter.push(chunk).forEach((line) => this.#take(line)))
    socket
      .on('error', (error) => this.#fail(error))
      .on('close', () => this.#fail(new Error('The helper closed the connection')))
  }

  static async at(path: string): Promise<Helper> {
    const socket = connect(path)
    await once(socket, 'connect')
    return new Helper(socket)
  }

  async request<M extends MethodName>(method: M, params: Params<M>): Promise<Answered<Result<M>>> {
    const started = performance.now()
    const line = await new Promise<Uint8Array>((resolve, reject) => {
      this.#take = resolve
      this.#fail = reject
      this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params })}\n`)
    })
    const ms = performance.now() - started
    const { result, error } = JSON.parse(Buffer.from(line).toString()) as { result: Result<M>; error?: unknown }
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return { result, bytes: line.length, ms }
  }

  async apply(change: Params<'tunnel.apply'>): Promise<number> {
    const { result, ms } = await this.request('tunnel.apply', change)
    if (result.outcome !== 'applied' || result.checks.some((check) => !check.ok))
      throw new Error(`tunnel.apply: ${JSON.stringify(result)}`)
    return ms
  }
}
