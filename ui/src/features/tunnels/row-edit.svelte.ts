// A tunnel as it is edited in its row of the list: what people call it, and its tags.
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { RowEdit } from '../../components/list/row-edit.svelte.ts'
import { toApiError } from '../../core/api-error.ts'
import { call } from '../../core/api.ts'
import { TunnelForm, type TunnelValues } from './tunnel-form.svelte.ts'

const CELL_FIELDS = { name: 'display_name', tags: 'tags' } as const
export type CellColumn = keyof typeof CELL_FIELDS

interface Planned {
  readonly of: string
  readonly answer: ImpactAnswer
}

export class TunnelRowEdit extends RowEdit<TunnelValues, CellColumn, TunnelView> {
  readonly cellFields = CELL_FIELDS
  readonly tunnel: TunnelForm
  isSaving = $state(false)
  #planned = $state.raw<Planned | null>(null)
  /** A plan is valid only for the values it was made from. */
  readonly plan = $derived.by(() => (this.#planned?.of === this.#values ? this.#planned.answer : null))

  constructor(tunnel: TunnelView, onplan: () => Promise<unknown>, onend: () => void) {
    super(onend)
    this.tunnel = new TunnelForm(tunnel, {
      page: `/tunnels/${tunnel.tunnel_id}/edit`,
      isPreview: true,
      send: async () => {
        const of = this.#values
        this.#planned = { of, answer: await call('POST /impact', { body: this.tunnel.request }) }
        await onplan()
      },
    })
  }

  get form(): TunnelForm['form'] {
    return this.tunnel.form
  }
  get isPlanned(): boolean {
    return this.plan !== null
  }
  get #values(): string {
    return JSON.stringify(this.form.values)
  }

  protected written(column: CellColumn): string {
    return this.form.values[CELL_FIELDS[column]]
  }

  /** Any text is a name, and any is a list of tags. */
  protected take(column: CellColumn, text: string): true {
    this.form.values[CELL_FIELDS[column]] = text
    return true
  }
  protected settled(): null {
    return null
  }
  protected complaint(): string {
    return ''
  }

  follow(tunnel: TunnelView): void {
    this.tunnel.follow(tunnel)
  }

  protected async send(): Promise<boolean> {
    this.isSaving = true
    try {
      await this.tunnel.save()
      return true
    } catch (thrown) {
      this.form.setError(toApiError(thrown))
      return false
    } finally {
      this.isSaving = false
    }
  }

  protected discard(): void {
    this.form.discard()
    this.#planned = null
  }
}
