// One list of a noun's fields: what is stored of it, what is answered of it and what a client may send are all derived
// from that list.
import type { Static, TSchema } from '../../schema.ts'

export interface Field {
  /** What an answer holds under the name, and the record too. */
  readonly answer: TSchema
  /**
   * What a client may send under the name; absent where it may send nothing. What PATCH may set to null is nullable
   * here.
   */
  readonly request?: TSchema
  /** What a new one holds where the client sends nothing and no setting decides. */
  readonly byDefault?: unknown
  /**
   * Absent: in a column of the noun's own table. "elsewhere": as rows of another table. "computed": nowhere, made when
   * it is sent.
   */
  readonly stored?: 'elsewhere' | 'computed'
  /** What people call the noun or write about it: the host does not know it, and no other field depends on it. */
  readonly isLabel?: true
}

export type FieldList = Readonly<Record<string, Field>>

/** Holds the default against the schema of the answer. */
export const field = <F extends Field>(one: F & { readonly byDefault?: Static<F['answer']> }): F => one

type Names<F extends FieldList, Kind> = { [K in keyof F]: F[K] extends Kind ? K : never }[keyof F]
type Computed = { readonly stored: 'computed' }
type Elsewhere = { readonly stored: 'elsewhere' }

/** The noun as the panel keeps it in memory. */
export type RecordOf<F extends FieldList> = {
  [K in Exclude<keyof F, Names<F, Computed>>]: Static<F[K]['answer']>
}

/** SQLite has neither flags, lists nor objects: a flag is 0 or 1, and a list or an object is its JSON text. */
type ColumnType<T> = T extends boolean ? number : T extends object ? string : T
/** The columns of the noun's own table. */
export type ColumnsOf<F extends FieldList> = {
  [K in Exclude<keyof F, Names<F, Computed | Elsewhere>>]: ColumnType<Static<F[K]['answer']>>
}

type AnswerOf<F extends FieldList> = { [K in keyof F]: F[K]['answer'] }
type RequestOf<F extends FieldList> = {
  [K in Names<F, { readonly request: TSchema }>]: F[K] extends { readonly request: infer S extends TSchema } ? S : never
}
type LabelsOf<F extends FieldList> = {
  [K in Names<F, { readonly isLabel: true }>]?: Static<F[K]['answer']>
}
type DefaultsOf<F extends FieldList> = {
  [K in Names<F, { readonly byDefault: unknown }>]: Static<F[K]['answer']>
}

const picked = <T>(fields: FieldList, property: keyof Field): T =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { [property]: value }]) => (value === undefined ? [] : [[name, value]])),
  ) as T

/** The properties of the answer's schema. */
export const answerProperties = <F extends FieldList>(fields: F): AnswerOf<F> => picked(fields, 'answer')

/** The properties of the schema of a request, in the order of the list: it decides which problem is reported first. */
export const requestProperties = <F extends FieldList>(fields: F): RequestOf<F> => picked(fields, 'request')

/** The lists among them are new ones each time. */
export const defaultsOf = <F extends FieldList>(fields: F): DefaultsOf<F> =>
  Object.fromEntries(
    givenDefaults(fields).map(([name, value]) => [name, Array.isArray(value) ? [...(value as unknown[])] : value]),
  ) as DefaultsOf<F>

/** Found once: a file may have a thousand objects that are completed by them. */
const defaultsByList = new WeakMap<FieldList, readonly [string, unknown][]>()
function givenDefaults(fields: FieldList): readonly [string, unknown][] {
  const known = defaultsByList.get(fields)
  if (known) return known
  const found = Object.entries(picked<Record<string, unknown>>(fields, 'byDefault'))
  defaultsByList.set(fields, found)
  return found
}

/** The defaults, and in their place what the request says. What it says of other fields is left out. */
export const withDefaults = <F extends FieldList>(
  fields: F,
  body: { readonly [K in keyof DefaultsOf<F>]?: unknown },
): DefaultsOf<F> => {
  const defaults = defaultsOf(fields)
  const named = Object.keys(defaults).filter(
    (name) => fields[name]?.request && body[name as keyof typeof body] !== undefined,
  )
  return { ...defaults, ...Object.fromEntries(named.map((name) => [name, body[name as keyof typeof body]])) }
}

/**
 * The labels that a request for a change names, if nothing else of the noun becomes another; otherwise null. What the
 * request names beside fields is permission for what labels do not do.
 */
export function labelsAlone<F extends FieldList>(
  fields: F,
  stored: RecordOf<F>,
  body: Readonly<Record<string, unknown>>,
): LabelsOf<F> | null {
  const named = Object.keys(body).filter((name) => name in fields)
  const labels = named.filter((name) => fields[name]?.isLabel)
  const isSame = (name: string): boolean =>
    JSON.stringify(body[name]) === JSON.stringify(stored[name as keyof typeof stored])
  if (!named.every((name) => labels.includes(name) || isSame(name))) return null
  return Object.fromEntries(labels.map((name) => [name, body[name]])) as LabelsOf<F>
}

export interface Column {
  readonly name: string
  readonly kind: 'plain' | 'flag' | 'json'
  readonly isNullable: boolean
}

/** How each column of the noun's own table is stored. */
export const columnsOf = (fields: FieldList): readonly Column[] =>
  Object.entries(fields)
    .filter(([, { stored }]) => stored === undefined)
    .map(([name, { answer }]) => ({
      name,
      kind: KINDS[String(answer['type'])] ?? 'plain',
      isNullable: answer['nullable'] === true,
    }))

const KINDS: Readonly<Record<string, Column['kind']>> = { boolean: 'flag', array: 'json', object: 'json' }
