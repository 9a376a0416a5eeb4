// Remembers the answers of creating requests, so that sending the same key twice creates once (decisions.md, W13).
import { createHash } from 'node:crypto'
import { message } from '@panel/shared/messages/message.ts'
import type { Answer } from './endpoint.ts'
import { Refusal } from './refusal.ts'
import type { Body } from './validate.ts'
import { wrongParameter } from './wrong-parameter.ts'

export const REMEMBERED_MS = 10 * 60_000
/** Limits the memory; the oldest is dropped. */
const MAX_REMEMBERED = 1000

/** The key of a request, from its header or body, or ""; and the body without it. */
export function takeKey(header: string, body: Body): { key: string; body: Body } {
  const { idempotency_key: given, ...rest } = body
  const key = given === undefined ? header : given
  if (typeof key !== 'string' || !/^[\x20-\x7e]{0,255}$/.test(key)) {
    const sentence = message('input.idempotency_key')
    throw new Refusal('VALIDATION_FAILED', sentence, {
      field: 'idempotency_key',
      details: { idempotency_key: sentence.message },
    })
  }
  return { key, body: rest }
}

export class RememberedAnswers {
  readonly #now: () => Date
  readonly #answers = new Map<string, { answer: Promise<Answer>; until: number; body: string }>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /**
   * Concurrent requests with the same key share one run. A refusal is not remembered, so that a retry can succeed. 422 for
   * another body under the key: it would not be carried out.
   */
  async once(key: string, body: Body, work: () => Promise<Answer>, onRepeat: () => void): Promise<Answer> {
    this.#dropExpired()
    const remembered = this.#answers.get(key)
    const digest = digestOf(body)
    if (remembered) {
      if (remembered.body !== digest) throw wrongParameter('idempotency_key', message('input.other_body'))
      onRepeat()
      return remembered.answer
    }
    const answer = work()
    this.#answers.set(key, { answer, until: this.#now().getTime() + REMEMBERED_MS, body: digest })
    try {
      return await answer
    } catch (refused) {
      this.#answers.delete(key)
      throw refused
    }
  }

  #dropExpired(): void {
    const now = this.#now().getTime()
    for (const [key, { until }] of this.#answers) {
      if (until > now && this.#answers.size < MAX_REMEMBERED) return
      this.#answers.delete(key)
    }
  }
}

/** The order of keys is none of the request. */
const digestOf = (body: Body): string =>
  createHash('sha256')
    .update(JSON.stringify(inOrder(body)))
    .digest('base64')

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]))
}
