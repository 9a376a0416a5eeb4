// The words of a form's fields and of their values, whether or not they are shown as inputs.
import type { Form } from '../../core/form.svelte.ts'
import { messages, t } from '../../core/i18n.svelte.ts'
import type { FormField } from './fields.ts'

export const registerFields = <V extends object>({ fields }: Form<V>, list: readonly FormField[]): void => {
  for (const { name, label, options } of list)
    fields.set(name, {
      label: () => messages.find(label, label),
      show: (value) => {
        const option = options?.find(([one]) => one === value)?.[1]
        return option === undefined ? String(value) : messages.find(option, option)
      },
    })
}

/** A value as a person reads it. */
export const showValue = <V extends object>(form: Form<V>, name: string, value: unknown): string => {
  if (typeof value === 'boolean') return t(value ? 'core.form.yes' : 'core.form.no')
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return t('core.form.none')
  return form.fields.get(name)?.show(value) ?? String(value)
}
