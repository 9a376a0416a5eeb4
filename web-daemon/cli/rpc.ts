// Sends one request to the root helper and prints the answer as it came, for debugging.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { Config } from '../app/config.ts'
import { CommandError } from './errors.ts'
import { printLine, printText } from './print.ts'

const ANSWER_WITHIN_MS = 60_000

export async function rpc({ helper_socket }: Config, [method, params = '{}']: readonly string[]): Promise<void> {
  if (method === undefined)
    throw new CommandError(
      'Name a method and its parameters as JSON, such as: tunnel-panel rpc host.probe \'{"parts":["helper"]}\'',
    )
  printText(`${JSON.stringify(await requestOf({ helper_socket }, method, parsed(params)), null, 2)}\n`)
}

/** The result of one request. */
export async function requestOf(
  { helper_socket }: Pick<Config, 'helper_socket'>,
  method: string,
  params: unknown,
): Promise<unknown> {
  const { result, error } = JSON.parse(await answerTo(helper_socket, { jsonrpc: '2.0', id: 1, method, params })) as {
    result?: unknown
    error?: { message: string }
  }
  if (error) throw new CommandError(`The helper refused: ${error.message}`)
  return result
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CommandError(`The parameters are not valid JSON: ${text}`)
  }
}

/**
 * The answer is the line with an id (null if the helper could not parse the request). Items of a stream have no id;
 * they come first and are printed as they come.
 */
const answerTo = (path: string, request: object): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.setTimeout(ANSWER_WITHIN_MS, () =>
      socket.destroy(new CommandError(`The helper did not answer within ${ANSWER_WITHIN_MS / 1000} s`)),
    )
    socket.once('error', (failure: NodeJS.ErrnoException) =>
      reject(
        new CommandError(
          failure.code
            ? `The helper cannot be reached at ${path} (${failure.code}): is tunnel-panel-helper running?`
            : failure.message,
        ),
      ),
    )
    socket.once('connect', () => socket.write(`${JSON.stringify(request)}\n`))
    socket.once('close', () => reject(new CommandError('The helper ended the connection without an answer')))
    createInterface({ input: socket }).on('line', (line) => {
      if ((JSON.parse(line) as { id?: unknown }).id === undefined) return void printLine(line)
      resolve(line)
      socket.destroy()
    })
  })
