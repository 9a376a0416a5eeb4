// Writes an answer, or a refusal as the error envelope with exactly its four fields.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Response } from 'express'
import { STATUS_OF } from '@panel/shared/api/base/codes.ts'
import type { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'
import type { Answer, CookieInstruction } from './endpoint.ts'
import { message, reference } from '@panel/shared/messages/message.ts'
import { storeTrouble } from '../db/trouble.ts'
import { sendEncoded } from './assets.ts'
import { bytesOf } from './json-text.ts'
import { isSecure } from './headers.ts'
import { Refusal } from './refusal.ts'

export function makeEnvelope(refusal: Refusal): ErrorEnvelope {
  return {
    error: {
      code: refusal.code,
      message: refusal.message,
      field: refusal.field,
      details: refusal.details,
    },
  }
}

export function sendAnswer(res: Response, basePath: string, answer: Answer): void {
  for (const cookie of answer.cookies ?? []) setCookie(res, basePath, cookie)
  // The next request shows whether a new connection can be made.
  if (answer.isLast) res.set('Connection', 'close')
  sendJson(res, answer.status, answer.body)
}

/** What proxies take of all headers together is a few kilobytes; without it the page shows the English sentence. */
const MESSAGE_HEADER_MAX = 2000
const inAscii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The envelope has exactly four fields, so what another language is made from is in a header. */
export function sendRefusal(res: Response, refusal: Refusal): void {
  res.set(refusal.headers)
  const words = inAscii(JSON.stringify(reference(refusal)))
  if (refusal.message_id !== '' && words.length <= MESSAGE_HEADER_MAX) res.set('X-Message', words)
  sendJson(res, STATUS_OF[refusal.code], makeEnvelope(refusal))
}

/** Unexpected errors reveal nothing but that the log has more; failures of the store's disk are expected. */
export function asRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown
  const trouble = storeTrouble(thrown)
  if (trouble) return new Refusal('SERVICE_UNAVAILABLE', trouble.sentence, { details: { reason: trouble.reason } })
  return new Refusal('INTERNAL_ERROR', message('panel.internal_error'))
}

/** Smaller answers gain less than the header that tells of it. */
const COMPRESSED_FROM = 400
/** Levels at which a thousand tunnels shrink to a tenth or less within two milliseconds; higher ones gain little. */
const GZIP = { level: 1 }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/**
 * Sends JSON. The compressed size can reveal a secret to an attacker who can trigger requests with a guess in them.
 * Other sites cannot: our cookies are SameSite=Strict.
 */
const sendJson = (res: Response, status: number, body: unknown): void => {
  const plain = bytesOf(body)
  const packed = {
    get br() {
      return brotliCompressSync(plain, BROTLI)
    },
    get gzip() {
      return gzipSync(plain, GZIP)
    },
  }
  res.status(status).set('Content-Type', 'application/json; charset=utf-8')
  sendEncoded(res.req, res, { plain, compressed: plain.length < COMPRESSED_FROM ? {} : packed })
}

const setCookie = (res: Response, basePath: string, cookie: CookieInstruction): void => {
  const maxAge = cookie.value === null ? 0 : cookie.max_age_seconds * 1000
  const secure = isSecure(res.req)
  res.cookie(cookie.name, cookie.value ?? '', {
    httpOnly: cookie.http_only,
    sameSite: 'strict',
    path: `${basePath}/`,
    secure,
    maxAge,
  })
}
