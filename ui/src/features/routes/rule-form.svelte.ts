// The values of a relay rule as they are changed, planned and saved, by its form as in the list.
import type { PreviewRouteAnswer, RouteView } from '@panel/shared/api/routes/answers.ts'
import { registerFields } from '../../components/form/field-words.ts'
import { call } from '../../core/api.ts'
import type { FormOptions } from '../../core/form.svelte.ts'
import { messages, t } from '../../core/i18n.svelte.ts'
import { loaded } from '../../core/loaded.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { ReviewedForm } from '../../core/reviewed-form.svelte.ts'
import { toasts } from '../../core/toasts.svelte.ts'
import { STALE } from './stale.ts'
import { changedBody, emptyRoute, formValues, OTHER_FIELDS, requestBody, type RouteValues } from './draft.ts'
import { FIELDS } from './fields.ts'
import { showItems } from './items.ts'
import { lastWarnings } from './last-warnings.svelte.ts'
import type ReviewOfPlan from './Review.svelte'
import { unusual } from './warnings.ts'

interface Reviewed {
  readonly answer: PreviewRouteAnswer
  readonly Review: typeof ReviewOfPlan
}

interface RuleFormOptions extends Pick<FormOptions<RouteValues>, 'check' | 'fieldOf' | 'page'> {
  readonly before?: () => Promise<unknown>
  /** The tunnel of a rule that is new. */
  readonly tunnel_id?: number | null
  readonly onplan: () => Promise<unknown>
}

export class RuleForm extends ReviewedForm<RouteValues, Reviewed> {
  readonly stored: RouteView | null
  /** The version of the stored values that the form goes by; a change elsewhere moves both. */
  #version: string | undefined

  /** In a component's script, or in an effect. */
  constructor(stored: RouteView | null, { tunnel_id, ...more }: RuleFormOptions) {
    super({
      ...more,
      values: stored ? formValues(stored) : emptyRoute(tunnel_id),
      keep: `rule/${stored?.route_rule_id ?? 'new'}`,
      onStale: (record) => this.#valuesOf(record as RouteView),
      review: (values) => review(stored, values),
    })
    this.stored = stored
    this.#version = stored?.updated_date
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

  /** Resolves to the rule, or to null if it was refused. */
  async saveRule(element: HTMLElement | undefined): Promise<RouteView | null> {
    const { stored, form } = this
    let saved: RouteView | null = null
    await this.save(
      (values) =>
        stored
          ? call('PATCH /routes/{id}', {
              id: stored.route_rule_id,
              body: changedBody(values, form.base),
              if_match: this.#version,
            })
          : call('POST /routes', { body: requestBody(values, false) }),
      element,
      ({ route, verification, warnings, plan }) => {
        saved = route
        const { route_rule_id, route_rule_title: title } = route
        const words = { title, checks: verification.checks.length }
        toasts.success(
          t(stored ? 'routes.done.changed' : 'routes.done.created', words),
          null,
          `/routes/${route_rule_id}`,
        )
        lastWarnings.of = { route_rule_id, warnings: unusual(warnings, plan.causes) }
        void invalidate(...STALE)
      },
    )
    return saved
  }
}

async function review(stored: RouteView | null, values: RouteValues): Promise<Reviewed> {
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
  return { answer, Review }
}
