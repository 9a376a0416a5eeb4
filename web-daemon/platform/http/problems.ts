// Collects everything that is wrong with a request's fields, so that the operator sees all of it at once.
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { asMessage, Refusal } from './refusal.ts'

export interface Problem extends Message {
  field: string
  code: FieldCode
  details: Record<string, unknown>
}

export class Problems {
  readonly #list: Problem[] = []
  readonly #order: readonly string[]

  /** `order`: the fields in the order of the schema. */
  constructor(order: readonly string[] = []) {
    this.#order = order
  }

  add(field: string, code: FieldCode, message: Message, details: Record<string, unknown> = {}): void {
    this.#list.push({ field, code, ...asMessage(message), details })
  }

  get all(): readonly Readonly<Problem>[] {
    return this.#list
  }

  /** True if the field, or a part of it, already has a problem, so that later checks can be skipped. */
  has(field: string): boolean {
    return this.#list.some((p) => p.field === field || p.field.startsWith(`${field}.`))
  }

  /** True if the field as a whole has a problem, so that none of its parts can be checked. */
  hasWhole(field: string): boolean {
    return this.#list.some((p) => p.field === field)
  }

  get isEmpty(): boolean {
    return this.#list.length === 0
  }

  /** Throws 422 (`refusal`). */
  throwIfAny(order: readonly string[] = this.#order): void {
    const refusal = this.refusal(order)
    if (refusal) throw refusal
  }

  /**
   * `field` is the first one, `details[field]` each message, `details.fields` the whole list. The order is `order`, by
   * default that of the schema, then that of the items of a list, then that of discovery. Null without problems.
   */
  refusal(order: readonly string[] = this.#order): Refusal | null {
    const list = this.#inOrder(order)
    const [first] = list
    if (!first) return null
    const messages = Object.fromEntries([...list].reverse().map((p) => [p.field, p.message]))
    return new Refusal('VALIDATION_FAILED', first, {
      field: first.field,
      details: { ...messages, fields: list },
    })
  }

  #inOrder(order: readonly string[]): Problem[] {
    const rank = ({ field }: Problem): number => {
      const at = order.indexOf(field.split('.')[0] ?? '')
      return at < 0 ? order.length : at
    }
    const item = ({ field }: Problem): number => Number(field.split('.')[1]) || 0
    return [...this.#list].sort((a, b) => rank(a) - rank(b) || item(a) - item(b))
  }
}
