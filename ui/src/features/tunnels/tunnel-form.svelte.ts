// The form of a stored tunnel, whether all of it stands on a page or some of it in a row of the list; sends only what
// was changed.
import type { ImpactBody } from '@panel/shared/api/impact/impact.ts'
import type { TunnelView, UpdateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { registerFields } from '../../components/form/field-words.ts'
import { requestOf, valuesOf } from '../../components/form/fields.ts'
import { changedValues } from '../../core/changed-values.ts'
import { Form, type FormOptions } from '../../core/form.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { withAccessCheck } from '../../core/own-access.ts'
import { withRecreateCheck } from '../../core/recreate.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toasts } from '../../core/toasts.svelte.ts'
import { tunnelText } from '../../core/tunnel-names.ts'
import { FIELDS } from './options.ts'
import { farEndOf, fieldOf, localEndOf } from './request.ts'

const formValues = (stored: TunnelView) => ({
  ...valuesOf(FIELDS, stored),
  local_endpoint: stored.local_endpoint,
  is_local_endpoint_automatic: stored.is_local_endpoint_automatic,
  remote_endpoint: stored.remote_hostname ?? stored.remote_endpoint,
})
export type TunnelValues = ReturnType<typeof formValues>

interface TunnelFormOptions extends Pick<FormOptions<TunnelValues>, 'page' | 'isPreview'> {
  /** Absent: sending saves it. */
  readonly send?: () => Promise<unknown>
}

export class TunnelForm {
  readonly form: Form<TunnelValues>
  warnings = $state.raw<UpdateTunnelAnswer['warnings']>([])
  readonly #tunnel: TunnelView
  /** The version of the stored values that the form goes by; a change elsewhere moves both. */
  #version = ''

  /** In a component's script, or in an effect. */
  constructor(tunnel: TunnelView, { send, ...more }: TunnelFormOptions = {}) {
    this.#tunnel = tunnel
    this.form = new Form<TunnelValues>({
      ...more,
      values: this.#valuesOf(tunnel),
      keep: `tunnel/${tunnel.tunnel_id}`,
      fieldOf,
      onStale: (record) => this.#valuesOf(record as TunnelView),
      send: () => (send ?? this.save)(),
    })
    registerFields(this.form, FIELDS)
    this.form.fields.set('local_endpoint', { label: () => t('tunnel_new.local'), show: String })
    this.form.fields.set('is_local_endpoint_automatic', {
      label: () => t('tunnel_new.local_automatic'),
      show: (is) => t(is === true ? 'core.form.yes' : 'core.form.no'),
    })
    this.form.fields.set('remote_hostname', { label: () => t('tunnel_new.remote'), show: String })
  }

  #valuesOf(stored: TunnelView): TunnelValues {
    this.#version = stored.updated_date
    return formValues(stored)
  }

  follow(stored: TunnelView): void {
    this.form.follow(this.#valuesOf(stored))
  }

  /** What saving sends. */
  get request(): ImpactBody & { readonly body: Readonly<Record<string, unknown>> } {
    const { base, values } = this.form
    const sent: Readonly<Record<string, unknown>> = requestOf(FIELDS, values)
    const { remote_hostname: name } = this.#tunnel
    const body = Object.fromEntries(
      changedValues(base, values).flatMap(({ name: changed }) =>
        changed === 'remote_endpoint'
          ? Object.entries({ ...(name !== null && { remote_hostname: null }), ...farEndOf(values.remote_endpoint) })
          : fieldOf(changed) === 'local_endpoint'
            ? Object.entries(localEndOf(values))
            : [[changed, sent[changed]]],
      ),
    )
    return { method: 'PATCH', path: `/tunnels/${this.#tunnel.tunnel_id}`, body }
  }

  readonly save = async (): Promise<void> => {
    const { request } = this
    const { tunnel_id: id } = this.#tunnel
    const answer = await withRecreateCheck(
      (confirmed) =>
        withAccessCheck('PATCH /tunnels/{id}', {
          id,
          body: { ...request.body, ...confirmed },
          if_match: this.#version,
        }),
      request,
      tunnelText(this.#tunnel),
    )
    this.warnings = answer?.warnings ?? []
    toasts.success(
      t('tunnel_new.saved', { name: tunnelText(answer?.tunnel ?? this.form.values) }),
      null,
      `/tunnels/${id}`,
    )
    if (answer) {
      this.form.sent()
      this.form.reset(this.#valuesOf(answer.tunnel))
    }
    void invalidate('/tunnels', '/reconcile', '/routes')
  }
}
