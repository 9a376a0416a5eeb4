// The values of a relay rule as they are changed, planned and saved, by its form as in the list.
import type { PreviewRouteAnswer, RouteView } from '@panel/shared/api/routes/answers.ts'
import { registerFields } from '../../components/form/field-words.ts'
import { toApiError } from '../../core/api-error.ts'
import { call } from '../../core/api.ts'
import { Form, type FormOptions } from '../../core/form.svelte.ts'
import { messages, t } from '../../core/i18n.svelte.ts'
import { loaded } from '../../core/loaded.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toasts } from '../../core/toasts.svelte.ts'
import { STALE } from './stale.ts'
import { changedBody, emptyRoute, formValues, OTHER_FIELDS, requestBody, type RouteValues } from './draft.ts'
import { FIELDS } from './fields.ts'
import { showItems } from './items.ts'
import { lastWarnings } from './last-warnings.svelte.ts'
import type ReviewOfPlan from './Review.svelte'
import { unusual } from './warnings.ts'

interface Reviewed {
  readonly of: string
  readonly answer: PreviewRouteAnswer
  readonly Review: typeof ReviewOfPlan
}

interface RuleFormOptions extends Pick<FormOptions<RouteValues>, 'check' | 'fieldOf' | 'page'> {
  /** What has to settle before a plan is made. */
  readonly before?: () => Promise<unknown>
  /** The tunnel of a rule that is new. */
  readonly tunnel_id?: number | null
  /** Called once the plan is there. */
  readonly onplan: () => Promise<unknown>
}

export class RuleForm {
  readonly form: Form<RouteValues>
  readonly stored: RouteView | null
  isSaving = $state(false)
  /** The version of the stored values that the form goes by; a change elsewhere moves both. */
  #version: string | undefined
  #reviewed = $state.raw<Reviewed | null>(null)
  /** A plan is valid only for the values it was made from. */
  readonly plan = $derived.by(() => (this.#reviewed?.of === JSON.stringify(this.form.values) ? this.#reviewed : null))

  /** In a component's script, or in an effect. */
  constructor(stored: RouteView | null, { before, onplan, tunnel_id, ...more }: RuleFormOptions) {
    this.stored = stored
    this.form = new Form<RouteValues>({
      ...more,
      values: stored ? this.#valuesOf(stored) : emptyRoute(tunnel_id),
      keep: `rule/${stored?.route_rule_id ?? 'new'}`,
      isPreview: true,
      onStale: (record) => this.#valuesOf(record as RouteView),
      send: async () => {
        await before?.()
        await this.#review()
        await onplan()
      },
    })
    registerFields(this.form, FIELDS)
    for (const [name, label] of Object.entries(OTHER_FIELDS))
      this.form.fields.set(name, { label: () => t(label), show: showItems })
  }

  #valuesOf(route: RouteView): RouteValues {
    this.#version = route.updated_date
    return formValues(route)
  }

  follow(route: RouteView): void {
    this.form.follow(this.#valuesOf(route))
  }

  discard(): void {
    this.form.discard()
    this.#reviewed = null
  }

  async #review(): Promise<void> {
    const { stored, form } = this
    const values = $state.snapshot(form.values) as RouteValues
    const [answer, { default: Review }] = await Promise.all([
      call('POST /routes/preview', {
        body: {
          ...requestBody(values, stored !== null),
          ...(stored ? { route_rule_id: stored.route_rule_id } : {}),
        },
      }),
      loaded(() => import('./Review.svelte')),
      loaded(() => messages.load(['path', 'changes'])),
    ])
    this.#reviewed = { of: JSON.stringify(values), answer, Review }
  }

  /** Resolves to the rule, or to null if it was refused. */
  async save(element: HTMLElement | undefined): Promise<RouteView | null> {
    const { stored, form } = this
    const values = $state.snapshot(form.values) as RouteValues
    this.isSaving = true
    try {
      const { route, verification, warnings, plan } = await (stored
        ? call('PATCH /routes/{id}', {
            id: stored.route_rule_id,
            body: changedBody(values, form.base),
            if_match: this.#version,
          })
        : call('POST /routes', { body: requestBody(values, false) }))
      form.sent()
      form.reset(values)
      toasts.success(
        t(stored ? 'routes.done.changed' : 'routes.done.created', {
          title: route.route_rule_title,
          checks: verification.checks.length,
        }),
        null,
        `/routes/${route.route_rule_id}`,
      )
      lastWarnings.of = { route_rule_id: route.route_rule_id, warnings: unusual(warnings, plan.causes) }
      void invalidate(...STALE)
      return route
    } catch (thrown) {
      form.setError(toApiError(thrown), element)
      return null
    } finally {
      this.isSaving = false
    }
  }
}
