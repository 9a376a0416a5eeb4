// A form whose sending only shows what would be done; what was reviewed is saved by a step of its own.
import { toApiError } from './api-error.ts'
import { Cancelled } from './cancelled.ts'
import { Form, type FormOptions } from './form.svelte.ts'

interface ReviewedOptions<V extends object, Plan> extends Omit<FormOptions<V>, 'send' | 'isPreview'> {
  /** What has to settle before a plan is made; it may change the values. */
  readonly before?: () => Promise<unknown>
  readonly review: (values: V) => Promise<Plan>
  /** Called once the plan is there. */
  readonly onplan: () => Promise<unknown>
}

export class ReviewedForm<V extends object, Plan> {
  readonly form: Form<V>
  isSaving = $state(false)
  #reviewed = $state.raw<{ readonly of: string; readonly plan: Plan } | null>(null)
  /** A plan is valid only for the values it was made from. */
  readonly plan = $derived.by(() =>
    this.#reviewed?.of === JSON.stringify(this.form.values) ? this.#reviewed.plan : null,
  )

  /** In a component's script, or in an effect. */
  constructor({ before, review, onplan, ...options }: ReviewedOptions<V, Plan>) {
    this.form = new Form<V>({
      ...options,
      isPreview: true,
      send: async () => {
        await before?.()
        const values = $state.snapshot(this.form.values) as V
        this.#reviewed = { of: JSON.stringify(values), plan: await review(values) }
        await onplan()
      },
    })
  }

  readonly discard = (): void => {
    this.form.discard()
    this.#reviewed = null
  }

  /** Resolves to false if it was refused. */
  async save<Answer>(
    send: (values: V) => Promise<Answer>,
    element: HTMLElement | undefined,
    done: (answer: Answer) => void,
  ): Promise<boolean> {
    const values = $state.snapshot(this.form.values) as V
    this.isSaving = true
    try {
      const answer = await send(values)
      this.form.sent()
      this.form.reset(values)
      done(answer)
      return true
    } catch (thrown) {
      if (!(thrown instanceof Cancelled)) this.form.setError(toApiError(thrown), element)
      return false
    } finally {
      this.isSaving = false
    }
  }
}
