// One question to the helper over its socket, for scripts; the web daemon has a client of its own that lives longer.
import { connect } from 'node:net'
import type { MethodName, Params, Result } from '@panel/shared/rpc/methods.ts'

/**
 * Whether a process listens on the socket: a socket file may exist before anything listens, or be left by a killed
 * process.
 */
export function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => resolve(true))
    socket.once('error', () => resolve(false)).once('connect', () => socket.end())
  })
}

export function askOnce<M extends MethodName>(socketPath: string, method: M, params: Params<M>): Promise<Result<M>> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(socketPath, () =>
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`),
    )
    socket.setEncoding('utf8').on('error', reject)
    socket.on('data', (data: string) => {
      text += data
      if (text.endsWith('\n')) socket.end()
    })
    socket.on('close', () => {
      const { result, error } = JSON.parse(text || '{"error":{"message":"no answer"}}') as {
        result?: Result<M>
        error?: { message: string }
      }
      if (error) reject(new Error(`${method}: ${error.message}`))
      else resolve(result as Result<M>)
    })
  })
}
