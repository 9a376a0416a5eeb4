// The query of a request: the parameters that the endpoint declares, each of the kind that it is described as. Those of
// a page of a list are lenient (decisions.md, W15).
import type { TObject } from '@panel/shared/schema.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { Problems } from './problems.ts'

const LENIENT: ReadonlySet<string> = new Set(['limit', 'offset'])

/** Throws 422 with all that cannot be read. An empty one is not given. */
export function readQuery(url: string, schema: TObject | undefined): Record<string, string> {
  const query = Object.fromEntries(
    [...new URL(url, 'http://panel').searchParams].filter(
      ([name]) => schema !== undefined && Object.hasOwn(schema.properties, name),
    ),
  )
  const problems = new Problems(Object.keys(schema?.properties ?? {}))
  for (const [name, text] of Object.entries(query)) {
    const why = LENIENT.has(name) || text === '' ? null : whyWrong(name, text, (schema?.properties[name] ?? {}) as Kind)
    if (why) problems.add(name, 'INVALID_VALUE', why.sentence, why.details)
  }
  problems.throwIfAny()
  return query
}

/** What of a schema decides. `x-also`: numbers that mean one of the enum; true: the handler refuses the rest itself. */
interface Kind {
  readonly type?: string
  readonly enum?: readonly (string | number)[]
  readonly 'x-also'?: readonly number[] | true
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
}

interface Wrong {
  readonly sentence: Message
  readonly details?: Record<string, unknown>
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }
export const flagIn = (text = ''): boolean | undefined => FLAGS[text.toLowerCase()]
export const isTrue = (text = ''): boolean => flagIn(text) === true

function whyWrong(field: string, text: string, kind: Kind): Wrong | null {
  const { type, format, enum: known } = kind
  if (known) {
    const also = kind['x-also'] ?? []
    if (also === true || [...known, ...also].some((one) => `${one}`.toLowerCase() === text.toLowerCase())) return null
    return { sentence: message('panel.filter_choice', { field, options: known.join(', ') }), details: { known } }
  }
  if (type === 'boolean') {
    return flagIn(text) !== undefined ? null : { sentence: message('panel.filter_flag', { field }) }
  }
  if (type === 'integer' || type === 'number') return whyNoNumber(field, text, kind)
  if (format !== 'date-time' || isInstant(text)) return null
  return { sentence: message('panel.instant', { field }) }
}

/** Date.parse would accept a bare year or a month's name and give a time that was not meant. */
export const isInstant = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T/.test(text) && Number.isFinite(Date.parse(text))

function whyNoNumber(field: string, text: string, { type, minimum, maximum }: Kind): Wrong | null {
  const isWhole = type === 'integer'
  const value = (isWhole ? /^\d{1,15}$/ : /^\d{1,9}(\.\d{1,9})?$/).test(text) ? Number(text) : Number.NaN
  // A larger whole number is as good as the largest: each is how much there is to be at most.
  if (value >= (minimum ?? -Infinity) && (isWhole || value <= (maximum ?? Infinity))) return null
  if (minimum === undefined || maximum === undefined) return { sentence: message('panel.filter_whole', { field }) }
  return { sentence: message(isWhole ? 'input.whole' : 'input.number', { field, minimum, maximum }) }
}
