// A form's own state: its values, what is wrong with each field, whether it differs from what it began with, and sending it.
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import { Withdrawn } from './withdrawn.ts'
import { asRefused, type Refused } from './refused.ts'

type Wrong = Readonly<Record<string, string>>

/** What the API refuses at first and does with `force`. */
const FORCEABLE: readonly FieldCode[] = [
  'PORT_IN_USE',
  'LOOPBACK_DESTINATION',
  'ROUTE_OVERLAP',
  'PUBLIC_RANGE_NOT_ALLOWED',
]

export interface FormParts<V extends object> {
  readonly values: V
  /** What the page knows to be wrong by itself, by field. */
  readonly check?: (values: V) => Wrong
  readonly send: (values: V) => Promise<unknown>
}

export class Form<V extends object> {
  values: V = $state() as V
  wrong = $state.raw<Wrong>({})
  /** What went wrong and fits no field of the form. */
  failure = $state.raw<Refused | null>(null)
  /** Whether something was refused that may be done all the same; then it stays an offer. */
  canForce = $state(false)
  isSending = $state(false)
  #began = $state.raw('')
  readonly isDirty = $derived(JSON.stringify(this.values) !== this.#began)
  readonly #parts: FormParts<V>

  constructor(parts: FormParts<V>) {
    this.#parts = parts
    this.reset(parts.values)
  }

  /** Begins anew from these values. */
  reset(values: V): void {
    this.values = structuredClone($state.snapshot(values) as V)
    this.#began = JSON.stringify(values)
    this.wrong = {}
    this.failure = null
  }

  /** A value that nobody typed, and that nobody loses by leaving. */
  suggest<N extends keyof V>(name: N, value: V[N]): void {
    this.values[name] = value
    this.#began = JSON.stringify({ ...(JSON.parse(this.#began) as V), [name]: value })
  }

  /** For `<form onsubmit={form.submit}>`: true when it was sent and taken. */
  readonly submit = async (event?: SubmitEvent): Promise<boolean> => {
    event?.preventDefault()
    if (this.isSending) return false
    const element = event?.currentTarget instanceof HTMLFormElement ? event.currentTarget : null
    const values = $state.snapshot(this.values) as V
    this.failure = null
    this.wrong = this.#parts.check?.(values) ?? {}
    if (Object.keys(this.wrong).length > 0) return this.#complained(element)
    this.isSending = true
    try {
      await this.#parts.send(values)
      this.#began = JSON.stringify(values)
      return true
    } catch (thrown) {
      if (!(thrown instanceof Withdrawn)) this.blame(asRefused(thrown), element)
      return false
    } finally {
      this.isSending = false
    }
  }

  /** Puts a refusal where it belongs: on the fields that this form has, else above it. */
  blame(refused: Refused, element: HTMLFormElement | null = null): void {
    const { fields } = refused
    const known = new Set(
      element
        ? [...element.querySelectorAll('[name]')].map((input) => input.getAttribute('name'))
        : Object.keys(this.values),
    )
    this.wrong = fields
    const told = refused.details['fields']
    this.canForce ||=
      Array.isArray(told) && (told as { code: FieldCode }[]).some(({ code }) => FORCEABLE.includes(code))
    this.failure =
      Object.keys(fields).length > 0 && Object.keys(fields).every((name) => known.has(name)) ? null : refused
    this.#complained(element)
  }

  /** What is typed takes back what was said of it. */
  forgive(name: string): void {
    if (!(name in this.wrong)) return
    this.wrong = Object.fromEntries(Object.entries(this.wrong).filter(([other]) => other !== name))
  }

  /** The first wrong field in the order of the page is gone to. */
  #complained(element: HTMLFormElement | null): false {
    requestAnimationFrame(() => element?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
    return false
  }
}
