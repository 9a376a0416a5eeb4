// Sends one request to the root helper and prints the answer as it came, for debugging.
import { connect } from 'node:net'
import { METHODS, type MethodName, type Params, type Result } from '@panel/shared/rpc/methods.ts'
import { LineSplitter, LineTooLongError } from '@panel/shared/rpc/framing.ts'
import type { Config } from '../app/config.ts'
import { validatorOf } from '../platform/helper/shapes.ts'
import { CommandError } from './errors.ts'
import { printLine, printText } from './print.ts'

const ANSWER_WITHIN_MS = 60_000

export async function rpc({ helper_socket }: Config, [method, params = '{}']: readonly string[]): Promise<void> {
  if (method === undefined)
    throw new CommandError(
      'Name a method and its parameters as JSON, such as: tunnel-panel rpc host.probe \'{"parts":["helper"]}\'',
      2,
    )
  printText(`${JSON.stringify(await requestOf({ helper_socket }, method, parsed(params)), null, 2)}\n`)
}

/** The result of a request. Throws if it is not of the method's schema. */
export async function resultOf<M extends MethodName>(
  config: Pick<Config, 'helper_socket'>,
  method: M,
  params: Params<M>,
): Promise<Result<M>> {
  const result = await requestOf(config, method, params)
  if (validatorOf(METHODS[method].result)(result)) return result as Result<M>
  throw notTheHelper(config.helper_socket, JSON.stringify(result))
}

async function requestOf(
  { helper_socket }: Pick<Config, 'helper_socket'>,
  method: string,
  params: unknown,
): Promise<unknown> {
  const { result, error } = await answerTo(helper_socket, { jsonrpc: '2.0', id: 1, method, params })
  if (error) throw new CommandError(`The helper refused: ${error.message}`)
  return result
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CommandError(`The parameters are not valid JSON: ${text}`, 2)
  }
}

interface HelperAnswer {
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/**
 * The answer is the line with an id (null if the helper could not parse the request). Items of a stream have no id;
 * they come first and are printed as they come.
 */
const answerTo = (path: string, request: object): Promise<HelperAnswer> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    const splitter = new LineSplitter()
    socket.setTimeout(ANSWER_WITHIN_MS, () =>
      socket.destroy(new CommandError(`The helper did not answer within ${ANSWER_WITHIN_MS / 1000} s`)),
    )
    socket.once('error', (failure: NodeJS.ErrnoException) =>
      reject(
        failure.code
          ? new CommandError(
              `The helper cannot be reached at ${path} (${failure.code}): is tunnel-panel-helper running?`,
            )
          : failure,
      ),
    )
    socket.once('connect', () => socket.write(`${JSON.stringify(request)}\n`))
    socket.once('close', () => reject(new CommandError('The helper ended the connection without an answer')))
    socket.on('data', (chunk) => {
      const lines = linesIn(splitter, chunk)
      if (lines instanceof LineTooLongError)
        return void socket.destroy(notTheHelper(path, Buffer.from(lines.beginning).toString()))
      for (const line of lines) {
        const message = messageIn(line)
        if (!message) return void socket.destroy(notTheHelper(path, line))
        if (message === 'item') printLine(line)
        else {
          resolve(message)
          return void socket.destroy()
        }
      }
    })
  })

function linesIn(splitter: LineSplitter, chunk: Buffer): string[] | LineTooLongError {
  try {
    return splitter.push(chunk).map((line) => Buffer.from(line).toString())
  } catch (failure) {
    if (failure instanceof LineTooLongError) return failure
    throw failure
  }
}

/** Null if the line is neither an answer nor an item. */
function messageIn(line: string): HelperAnswer | 'item' | null {
  const message = objectIn(line)
  if (!message) return null
  const { id, method, result, error } = message
  if (id === undefined) return typeof method === 'string' ? 'item' : null
  if (typeof (error as Partial<Error> | null | undefined)?.message === 'string') return message as HelperAnswer
  return id === 1 && result !== undefined && error === undefined ? { result } : null
}

function objectIn(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' ? (value as Readonly<Record<string, unknown>> | null) : null
  } catch {
    return null
  }
}

export function notTheHelper(path: string, text: string): CommandError {
  return new CommandError(
    `What answers at ${path} is not the root helper of this version: ${text.split('\n')[0]?.slice(0, 100) ?? ''} ` +
      '(check PANEL_HELPER_SOCKET, and restart tunnel-panel-helper if it is of another version)',
  )
}
