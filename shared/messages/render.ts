// A sentence of the API on the page: in the operator's language, with the form's words for fields.
import { formatMessage, MissingValueError, withOneStop, type FormatOptions, type Values } from './format.ts'
import type { Message, Param } from './message.ts'

/** The form that an answer carries; an older daemon, or another kernel, may give only the text. */
export type ApiMessage = Pick<Message, 'message'> &
  Partial<Omit<Message, 'message_id'>> & { readonly message_id?: string }

/** What the page calls a field; undefined where it does not show it. */
export type LabelOf = (field: string) => string | undefined

interface RenderOptions extends FormatOptions {
  /** Formats a date with its time. */
  readonly instant: (at: string) => string
  /** Between the parts of a list. */
  readonly comma: string
  /** Marks a part in the text of the whole, such as one to be linked. */
  readonly mark?: Mark | undefined
}
export type Mark = (part: ApiMessage, text: string) => string

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

type Catalogue = Readonly<Record<string, string>>

/** `texts` are the sentences of the language. Without one the English text of the answer stands. */
export const render = (message: ApiMessage, texts: Catalogue, options: RenderOptions, label: LabelOf): string => {
  const text = texts[message.message_id ?? '']
  if (text === undefined) return message.message
  const shown = (name: string, value: Param): string | number => {
    if (typeof value === 'object')
      return [value]
        .flat()
        .map((part) => render(part, texts, options, label))
        .join(options.comma)
    if (name === 'field' || name === 'other_field') return label(String(value)) ?? options.isolate(String(value))
    if (INSTANT.test(String(value))) return options.instant(String(value))
    // Numbers of ports, keys and the like are names: only what the sentence counts is written as a number.
    return options.isolate(String(value))
  }
  const values = Object.fromEntries(
    Object.entries(message.params ?? {}).map(([name, value]) => [name, shown(name, value)]),
  )
  const whole = wholeOrNull(text, values, options)
  if (whole === null) return message.message
  return options.mark?.(message, whole) ?? whole
}

/** Null where an earlier version has stored the sentence without what that of today names. */
const wholeOrNull = (text: string, values: Values, options: RenderOptions): string | null => {
  try {
    return withOneStop(formatMessage(text, values, { ...options, isolate: (one) => one }))
  } catch (error) {
    if (error instanceof MissingValueError) return null
    throw error
  }
}
