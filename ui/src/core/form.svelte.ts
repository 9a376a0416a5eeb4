// A form's own state: its values, what is wrong with each field, whether it differs from what it began with, and sending it.
import type { FieldCode } from '@panel/shared/api/codes.ts'
import { Cancelled } from './cancelled.ts'
import { toApiError, type ApiError } from './api-error.ts'

type FieldErrors = Readonly<Record<string, string>>

/** What the API refuses at first and does with `force`. */
const FORCEABLE: readonly FieldCode[] = [
  'PORT_IN_USE',
  'LOOPBACK_DESTINATION',
  'ROUTE_OVERLAP',
  'PUBLIC_RANGE_NOT_ALLOWED',
]

export interface FormOptions<V extends object> {
  readonly values: V
  /** What the page knows to be wrong by itself, by field. */
  readonly check?: (values: V) => FieldErrors
  readonly send: (values: V) => Promise<unknown>
}

export class Form<V extends object> {
  values: V = $state() as V
  errors = $state.raw<FieldErrors>({})
  /** What went wrong and fits no field of the form. */
  failure = $state.raw<ApiError | null>(null)
  /** Whether something was refused that may be done all the same; then it stays an offer. */
  canForce = $state(false)
  isSending = $state(false)
  #initial = $state.raw('')
  readonly isDirty = $derived(JSON.stringify(this.values) !== this.#initial)
  readonly #options: FormOptions<V>

  constructor(options: FormOptions<V>) {
    this.#options = options
    this.reset(options.values)
  }

  /** Begins anew from these values. */
  reset(values: V): void {
    this.values = structuredClone($state.snapshot(values) as V)
    this.#initial = JSON.stringify(values)
    this.errors = {}
    this.failure = null
  }

  /** A value that nobody typed, and that nobody loses by leaving. */
  suggest<N extends keyof V>(name: N, value: V[N]): void {
    this.values[name] = value
    this.#initial = JSON.stringify({ ...(JSON.parse(this.#initial) as V), [name]: value })
  }

  /** For `<form onsubmit={form.submit}>`: true when it was sent and taken. */
  readonly submit = async (event?: SubmitEvent): Promise<boolean> => {
    event?.preventDefault()
    if (this.isSending) return false
    const element = event?.currentTarget instanceof HTMLFormElement ? event.currentTarget : null
    const values = $state.snapshot(this.values) as V
    this.failure = null
    this.errors = this.#options.check?.(values) ?? {}
    if (Object.keys(this.errors).length > 0) return this.#focusFirstError(element)
    this.isSending = true
    try {
      await this.#options.send(values)
      this.#initial = JSON.stringify(values)
      return true
    } catch (thrown) {
      if (!(thrown instanceof Cancelled)) this.setError(toApiError(thrown), element)
      return false
    } finally {
      this.isSending = false
    }
  }

  /** Puts a refusal where it belongs: on the fields that this form has, else above it. */
  setError(error: ApiError, element: HTMLFormElement | null = null): void {
    const { fields } = error
    const own = new Set(
      element
        ? [...element.querySelectorAll('[name]')].map((input) => input.getAttribute('name'))
        : Object.keys(this.values),
    )
    this.errors = fields
    const listed = error.details['fields']
    this.canForce ||=
      Array.isArray(listed) && (listed as { code: FieldCode }[]).some(({ code }) => FORCEABLE.includes(code))
    this.failure = Object.keys(fields).length > 0 && Object.keys(fields).every((name) => own.has(name)) ? null : error
    this.#focusFirstError(element)
  }

  /** What is typed takes back what was said of it. */
  clearError(name: string): void {
    if (!(name in this.errors)) return
    this.errors = Object.fromEntries(Object.entries(this.errors).filter(([other]) => other !== name))
  }

  /** The first wrong field in the order of the page is gone to. */
  #focusFirstError(element: HTMLFormElement | null): false {
    requestAnimationFrame(() => element?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
    return false
  }
}
