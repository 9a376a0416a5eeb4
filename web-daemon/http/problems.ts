// Everything wrong with one request's fields, gathered so that the operator is told all of it at once.
import { Refusal } from './refusal.ts'

export interface Problem {
  field: string
  code: string
  message: string
  details: Record<string, unknown>
}

export class Problems {
  readonly #list: Problem[] = []

  add(field: string, code: string, message: string, details: Record<string, unknown> = {}): void {
    this.#list.push({ field, code, message, details })
  }

  /** True where the field, or a part of it, already has a problem: later checks need not pile onto it. */
  has(field: string): boolean {
    return this.#list.some((p) => p.field === field || p.field.startsWith(`${field}.`))
  }

  get isEmpty(): boolean {
    return this.#list.length === 0
  }

  /** Throws 422 with `field` the first, `details[field]` each message, and `details.fields` the whole list. */
  throwIfAny(): void {
    const [first] = this.#list
    if (!first) return
    const messages = Object.fromEntries([...this.#list].reverse().map((p) => [p.field, p.message]))
    throw new Refusal('VALIDATION_FAILED', first.message, { field: first.field, details: { ...messages, fields: this.#list } })
  }
}
