// Unsaved changes over the server's settings: untouched values follow the server.
import type { ChangeSettingsAnswer, SettingEntry } from '@panel/shared/api/settings.ts'
import { call } from '../../core/api.ts'
import { display } from '../../core/display.svelte.ts'
import type { DisplaySettings } from '../../core/format.ts'
import { Form } from '../../core/form.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toasts } from '../../core/toasts.svelte.ts'

export type Values = Record<string, unknown>

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
const pick = (values: Readonly<Values>, keys: readonly string[]): Values =>
  Object.fromEntries(keys.map((key) => [key, values[key]]))

export class SettingsDraft {
  entries = $state.raw<readonly SettingEntry[]>([])
  /** Saved, effective after a restart. */
  waiting = $state.raw<readonly string[]>([])
  readonly form: Form<Values> = new Form<Values>({
    values: {},
    send: (values) =>
      this.#send(
        pick(
          values,
          this.changed.map(({ key }) => key),
        ),
      ),
  })
  readonly changed = $derived(this.entries.filter(({ key, value }) => !same(this.form.values[key], value)))

  take(entries: readonly SettingEntry[]): void {
    const before = new Map(this.entries.map(({ key, value }) => [key, value]))
    for (const { key, value } of entries) {
      if (!before.has(key) || same(this.form.values[key], before.get(key)))
        this.form.values[key] = structuredClone(value)
    }
    this.entries = entries
  }

  discard(): void {
    this.form.reset(Object.fromEntries(this.entries.map(({ key, value }) => [key, value])))
  }

  /** Shows the server's change at once; display settings take effect on the page. */
  async follow({ settings, restart_required }: ChangeSettingsAnswer): Promise<void> {
    this.take(this.entries.map((entry) => ({ ...entry, value: settings[entry.key] })))
    this.waiting = [...new Set([...this.waiting, ...restart_required])]
    await display.take(
      Object.fromEntries(
        Object.entries(settings).filter(([key]) => key.startsWith('display.')),
      ) as Partial<DisplaySettings>,
    )
    await invalidate('/settings')
  }

  readonly set = async (values: Values): Promise<void> => this.follow(await call('PUT /settings', { body: values }))

  async #send(values: Values): Promise<void> {
    const keys = Object.keys(values)
    const before = pick(Object.fromEntries(this.entries.map(({ key, value }) => [key, value])), keys)
    await this.set(values)
    toasts.success(t('settings.saved', { count: keys.length }), () => this.set(before))
  }
}
