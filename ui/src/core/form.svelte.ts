// Form state: values, field errors, dirty check and submit; what was typed survives a reload and changes elsewhere.
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import { Cancelled } from './cancelled.ts'
import { toApiError, type ApiError } from './api-error.ts'
import { say, t } from './i18n.svelte.ts'
import type { LabelOf, ApiMessage } from './message.ts'
import { dropDraft, keepDraft, readDraft, setDraftAside } from './drafts.ts'

type FieldErrors = Readonly<Record<string, string | ApiMessage>>

/** Errors that `force` overrides. */
const FORCEABLE: readonly FieldCode[] = [
  'PORT_IN_USE',
  'LOOPBACK_DESTINATION',
  'HOSTNAME_UNRESOLVED',
  'ROUTE_OVERLAP',
  'PUBLIC_RANGE_NOT_ALLOWED',
]

export interface FormOptions<V extends object> {
  readonly values: V
  /** Client-side errors, by field. */
  readonly check?: (values: V) => FieldErrors
  readonly send: (values: V) => Promise<unknown>
  /** Keeps what is typed under this name. Never for a form with a password. */
  readonly keep?: string
  /** The page to which what was sent in a trial returns; absent: the present one. */
  readonly page?: string
  /** Called with the record that a 412 answers with; gives its values. */
  readonly onStale?: (record: unknown) => V
  /** Returns this form's field for a name of the API. */
  readonly fieldOf?: (name: string) => string
  /** Sending only shows what would be done, so the form stays changed. */
  readonly isPreview?: boolean
}

/** How a field and its values are called on the page. */
export interface FieldWords {
  readonly label: () => string
  /** Only of a value that is neither empty nor a flag. */
  readonly show: (value: unknown) => string
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export class Form<V extends object> {
  values: V = $state() as V
  errors = $state.raw<FieldErrors>({})
  /** An error that fits no field of the form. */
  failure = $state.raw<ApiError | null>(null)
  /** Whether an error can be overridden; once true it stays. */
  canForce = $state(false)
  isSending = $state(false)
  /** The stored values, as last seen. */
  base: V = $state.raw() as V
  /** Stored values that changed elsewhere while they were changed here too. */
  theirs = $state.raw<Partial<V>>({})
  /** Whether the values were typed before a reload. */
  isRestored = $state(false)
  readonly isDirty = $derived(!same(this.values, this.base))
  /** Filled by the components that show the fields. */
  readonly fields = new Map<string, FieldWords>()
  readonly #options: FormOptions<V>

  constructor(options: FormOptions<V>) {
    this.#options = options
    const { keep } = options
    const draft = keep === undefined ? null : readDraft<V>(keep)
    this.reset(options.values)
    if (keep === undefined) return
    if (draft) {
      this.isRestored = true
      this.values = draft.values
      this.base = draft.base
      this.follow(options.values)
    }
    $effect(() => (this.isDirty ? keepDraft(keep, { base: this.base, values: this.values }) : dropDraft(keep)))
  }

  /** Starts again from these values. */
  reset(values: V): void {
    this.values = structuredClone($state.snapshot(values) as V)
    this.#settle(values)
    this.errors = {}
    this.failure = null
  }

  #settle(values: V): void {
    this.base = structuredClone($state.snapshot(values) as V)
    this.theirs = {}
    this.isRestored = false
    if (this.isSending) this.sent()
    if (this.#options.keep !== undefined) dropDraft(this.#options.keep)
  }

  /** What was sent in a trial comes back into the form if it is put back. */
  sent(): void {
    if (this.#options.keep !== undefined) setDraftAside(this.#options.keep, this.#options.page)
  }

  readonly discard = (): void => this.reset(this.base)

  /** Presets a value without marking the form dirty. */
  suggest<N extends keyof V>(name: N, value: V[N]): void {
    this.values[name] = value
    this.base = { ...this.base, [name]: value }
  }

  /** The record changed elsewhere: values that were not changed here follow it, the others are shown as `theirs`. */
  follow(stored: V): void {
    const [base, values] = [this.base, $state.snapshot(this.values) as V]
    if (same(stored, base)) return
    const moved = (Object.keys(stored) as (keyof V)[]).filter((name) => !same(stored[name], base[name]))
    const isMine = (name: keyof V): boolean => !same(values[name], base[name]) && !same(values[name], stored[name])
    for (const name of moved.filter((one) => !isMine(one))) this.values[name] = structuredClone(stored[name])
    this.theirs = { ...this.theirs, ...Object.fromEntries(moved.filter(isMine).map((name) => [name, stored[name]])) }
    this.base = structuredClone(stored)
  }

  /** What is sent is what stands in the form; `isTheirs` puts the stored value there. */
  decide(name: keyof V, isTheirs: boolean): void {
    if (isTheirs) this.values[name] = structuredClone(this.theirs[name]) as V[keyof V]
    this.theirs = Object.fromEntries(Object.entries(this.theirs).filter(([other]) => other !== name)) as Partial<V>
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
    return this.#send(values, element)
  }

  async #send(values: V, element: HTMLFormElement | null, isAgain = false): Promise<boolean> {
    const { base } = this
    this.isSending = true
    try {
      await this.#options.send(values)
      // Unless it was given the values that are stored now.
      if (this.base === base && this.#options.isPreview !== true) this.#settle(values)
      return true
    } catch (thrown) {
      const error = toApiError(thrown)
      if (!(thrown instanceof Cancelled)) this.setError(error, element)
      // What changed elsewhere is beside what was changed here, so both can stand.
      const isMerged = this.base !== base && Object.keys(this.theirs).length === 0
      if (!isMerged || error.code !== 'PRECONDITION_FAILED' || isAgain) return false
      this.failure = null
      return await this.#send($state.snapshot(this.values) as V, element, true)
    } finally {
      this.isSending = false
    }
  }

  /** Assigns an error to its fields if this form has them, else to the form. */
  setError(error: ApiError, element: HTMLElement | null = null): void {
    const { onStale, fieldOf = (name: string) => name } = this.#options
    const fields = Object.fromEntries(Object.entries(error.fields).map(([name, wrong]) => [fieldOf(name), wrong]))
    if (error.code === 'PRECONDITION_FAILED' && onStale) this.follow(onStale(error.details['current']))
    const inputs = [...(element?.querySelectorAll<HTMLInputElement>('[name]') ?? [])]
    const own = new Set(element ? inputs.map(({ name }) => name) : Object.keys(this.values))
    const missing = inputs.filter(({ name, required, value }) => name in fields && required && value.trim() === '')
    this.errors = { ...fields, ...Object.fromEntries(missing.map(({ name }) => [name, t('core.form.missing')])) }
    const listed = error.details['fields']
    this.canForce ||=
      Array.isArray(listed) && (listed as { code: FieldCode }[]).some(({ code }) => FORCEABLE.includes(code))
    const isOnFields = Object.keys(fields).length > 0 && Object.keys(fields).every((name) => own.has(name))
    const isShown = error.code === 'PRECONDITION_FAILED' && Object.keys(this.theirs).length > 0
    this.failure = isOnFields || isShown ? null : error
    this.#focusFirstError(element)
  }

  /** What is wrong with a field, in the form's words; "" if nothing. */
  errorOf(name: string): string {
    const error = this.errors[name]
    return error === undefined || typeof error === 'string' ? (error ?? '') : say(error, this.labelsAt(name))
  }

  /** What an error of this field calls fields. */
  labelsAt(name: string): LabelOf {
    const own = name.split('.').at(-1)
    return (field) => this.fields.get(field === own ? name : field)?.label()
  }

  /** Typing clears a field's error. */
  clearError(name: string): void {
    if (!(name in this.errors)) return
    this.errors = Object.fromEntries(Object.entries(this.errors).filter(([other]) => other !== name))
  }

  /** In page order; what changed elsewhere is a thing to look at, too. */
  #focusFirstError(element: HTMLElement | null): false {
    requestAnimationFrame(() => element?.querySelector<HTMLElement>('[aria-invalid="true"], [data-changes]')?.focus())
    return false
  }
}
