// Form state: values, field errors, dirty check and submit.
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import { Cancelled } from './cancelled.ts'
import { toApiError, type ApiError } from './api-error.ts'

type FieldErrors = Readonly<Record<string, string>>

/** Errors that `force` overrides. */
const FORCEABLE: readonly FieldCode[] = [
  'PORT_IN_USE',
  'LOOPBACK_DESTINATION',
  'ROUTE_OVERLAP',
  'PUBLIC_RANGE_NOT_ALLOWED',
]

export interface FormOptions<V extends object> {
  readonly values: V
  /** Client-side errors, by field. */
  readonly check?: (values: V) => FieldErrors
  readonly send: (values: V) => Promise<unknown>
}

export class Form<V extends object> {
  values: V = $state() as V
  errors = $state.raw<FieldErrors>({})
  /** An error that fits no field of the form. */
  failure = $state.raw<ApiError | null>(null)
  /** Whether an error can be overridden; once true it stays. */
  canForce = $state(false)
  isSending = $state(false)
  #initial = $state.raw('')
  readonly isDirty = $derived(JSON.stringify(this.values) !== this.#initial)
  readonly #options: FormOptions<V>

  constructor(options: FormOptions<V>) {
    this.#options = options
    this.reset(options.values)
  }

  /** Starts again from these values. */
  reset(values: V): void {
    this.values = structuredClone($state.snapshot(values) as V)
    this.#initial = JSON.stringify(values)
    this.errors = {}
    this.failure = null
  }

  /** Presets a value without marking the form dirty. */
  suggest<N extends keyof V>(name: N, value: V[N]): void {
    this.values[name] = value
    this.#initial = JSON.stringify({ ...(JSON.parse(this.#initial) as V), [name]: value })
  }

  /** For `<form onsubmit={form.submit}>`: true if sent and accepted. */
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

  /** Assigns an error to its fields if this form has them, else to the form. */
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

  /** Typing clears a field's error. */
  clearError(name: string): void {
    if (!(name in this.errors)) return
    this.errors = Object.fromEntries(Object.entries(this.errors).filter(([other]) => other !== name))
  }

  /** In page order. */
  #focusFirstError(element: HTMLFormElement | null): false {
    requestAnimationFrame(() => element?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
    return false
  }
}
