// Reads a request's body as one JSON object, within limits (decisions.md, W4, W9).
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { MAX_NESTING, NestingError, parseJson } from '@panel/shared/json.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { Refusal } from './refusal.ts'
import type { Body } from './validate.ts'

export const BODY_LIMIT_BYTES = 1024 * 1024
/** Before sign-in only a name and a password are needed; a thousand such requests at once must not fill the memory. */
export const STRANGER_LIMIT_BYTES = 64 * 1024

/** An empty body counts as an empty object. `digest`: of what was signed; another body is refused. */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  limit_bytes: number,
  digest?: string,
): Promise<Body> {
  if (Number(req.headers['content-length'] ?? 0) > limit_bytes) throw tooLarge(limit_bytes)
  if (isWaiting(req)) res.writeContinue()
  const bytes = await readBytes(req, limit_bytes)
  if (digest !== undefined && createHash('sha256').update(bytes).digest('base64url') !== digest)
    throw new Refusal('UNAUTHENTICATED', message('panel.sign_in'))
  if (bytes.length === 0) return {}
  if (!isJson(req)) throw new Refusal('INVALID_REQUEST', message('panel.body_not_json'))
  return parse(bytes)
}

/**
 * Whether the client sends the body only after 100 Continue (RFC 9110, 10.1.1), so that an early refusal saves the
 * transfer.
 */
const isWaiting = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === '1.1' && /^100-continue$/i.test(headers.expect ?? '')

/**
 * Node reads and drops the rest of a body that is too large after the answer, so that the client can read the answer.
 */
const readBytes = async (req: IncomingMessage, limit_bytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    req.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit_bytes) reject(tooLarge(limit_bytes))
      else chunks.push(chunk)
    })
    req.once('end', () => resolve(Buffer.concat(chunks)))
    req.once('close', () => reject(new Refusal('INVALID_REQUEST', message('panel.body_cut'))))
    req.once('error', reject)
  })

const parse = (bytes: Buffer): Body => {
  let value: unknown
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (failure) {
    throw new Refusal('INVALID_REQUEST', describeFailure(failure))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Body
  throw new Refusal('INVALID_REQUEST', message('panel.body_not_object'))
}

const describeFailure = (failure: unknown): Message =>
  failure instanceof NestingError
    ? message('panel.body_nested', { levels: MAX_NESTING })
    : message('panel.body_invalid')

const isJson = (req: IncomingMessage): boolean =>
  /^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '') &&
  (req.headers['content-encoding'] ?? 'identity') === 'identity'

const tooLarge = (limit_bytes: number): Refusal =>
  new Refusal('PAYLOAD_TOO_LARGE', message('panel.body_too_large', { bytes: limit_bytes }), {
    details: { limit_bytes },
  })
