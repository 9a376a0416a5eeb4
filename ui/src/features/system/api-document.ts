// The description of the API as this panel serves it, cut into what a reader looks for: operations, and fields of bodies.
/** The part of OpenAPI's schema objects that the panel writes. */
export interface Schema {
  readonly $ref?: string
  readonly title?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
}

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema?: Schema } }
}
interface Answer extends Content {
  readonly $ref?: string
  readonly description?: string
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}
interface PathOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Answer>>
  readonly 'x-token-scopes'?: readonly string[]
}

export interface ApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Answer>>
  }
}

export interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
  /** Objects inside, by the name of their schema or "" without one. */
  readonly inner: readonly Inner[]
}
export interface Inner {
  readonly title: string
  readonly schema: Schema
}

export interface Operation {
  readonly id: string
  readonly method: string
  /** Below the web path. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly parameters: readonly Field[]
  readonly body: Schema | null
  readonly answers: readonly { readonly status: string; readonly description: string; readonly schema: Schema | null }[]
  /** Any one of them is enough for an API token; none: it takes a session. */
  readonly scopes: readonly string[]
}

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
const schemaOf = ({ content }: Content): Schema | null => content?.['application/json']?.schema ?? null

/** What a schema stands for, without the wrapping that carries a description of its own. */
export function unwrapped(schema: Schema, document: ApiDocument): Schema {
  if (schema.$ref !== undefined) return document.components.schemas[nameOf(schema.$ref)] ?? schema
  const [only, ...others] = schema.allOf ?? []
  return only && others.length === 0 ? unwrapped(only, document) : schema
}

const isNull = ({ enum: values }: Schema): boolean => values?.length === 1 && values[0] === null

/** "1 to 128", "at least 1", "at most 100", or "". */
const bounds = (least: number | undefined, most: number | undefined): string =>
  least !== undefined && most !== undefined && most < Number.MAX_SAFE_INTEGER
    ? ` ${least}..${most}`
    : least !== undefined && least > 0
      ? ` ≥ ${least}`
      : most !== undefined && most < Number.MAX_SAFE_INTEGER
        ? ` ≤ ${most}`
        : ''

/** The way a developer writes types: `integer 1..128`, `"tcp" | "udp"`, `Tunnel[]`, `string | null`. */
export function typeText(schema: Schema): string {
  const { $ref, allOf, anyOf, nullable = false, type, format } = schema
  const orNull = (text: string): string => (nullable && !/(^| )null$/.test(text) ? `${text} | null` : text)
  if ($ref !== undefined) return nameOf($ref)
  if (allOf) return orNull(allOf.map(typeText).join(' & '))
  if (anyOf) return orNull([...new Set(anyOf.map((one) => (isNull(one) ? 'null' : typeText(one))))].join(' | '))
  if (schema.enum) return orNull(schema.enum.map((one) => JSON.stringify(one)).join(' | '))
  if (type === 'array') {
    const of = schema.items ? typeText(schema.items) : 'any'
    return orNull(`${of.includes(' ') ? `(${of})` : of}[]${bounds(schema.minItems, schema.maxItems)}`)
  }
  if (type === 'object') {
    const { additionalProperties: each } = schema
    return orNull(typeof each === 'object' ? `{ [name]: ${typeText(each)} }` : (schema.title ?? 'object'))
  }
  if (type === undefined) return 'any'
  const sizes = type === 'string' ? bounds(undefined, schema.maxLength) : bounds(schema.minimum, schema.maximum)
  return orNull(`${format ?? type}${sizes}`)
}

/** The objects whose fields a reader may want next. */
export function innerOf(schema: Schema, document: ApiDocument): Inner[] {
  const plain = unwrapped(schema, document)
  if (plain.properties) return [{ title: plain.title ?? '', schema: plain }]
  if (plain.items) return innerOf(plain.items, document)
  if (typeof plain.additionalProperties === 'object') return innerOf(plain.additionalProperties, document)
  return [...(plain.anyOf ?? []), ...(plain.allOf ?? [])].flatMap((one) => innerOf(one, document))
}

const field = (name: string, schema: Schema, isRequired: boolean, said: string, document: ApiDocument): Field => ({
  name,
  type: typeText(schema) + (schema.default === undefined ? '' : ` = ${JSON.stringify(schema.default)}`),
  isRequired,
  description: said,
  inner: innerOf(schema, document),
})

export const fieldsOf = (schema: Schema, document: ApiDocument): Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, one]) =>
    field(name, one, schema.required?.includes(name) ?? false, one.description ?? '', document),
  )

/** In the order of the tags, and within a tag as they are served. */
export const operationsOf = (document: ApiDocument): Operation[] =>
  Object.entries(document.paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, one]): Operation => ({
        id: one.operationId,
        method: method.toUpperCase(),
        path,
        tag: one.tags[0] ?? '',
        summary: one.summary,
        parameters: (one.parameters ?? []).map((given) =>
          field(
            given.in === 'query' ? `?${given.name}` : given.in === 'header' ? `${given.name}:` : `{${given.name}}`,
            given.schema,
            given.required ?? false,
            given.description ?? '',
            document,
          ),
        ),
        body: one.requestBody ? schemaOf(one.requestBody) : null,
        answers: Object.entries(one.responses).map(([status, answer]) => {
          const meant = answer.$ref === undefined ? answer : (document.components.responses[nameOf(answer.$ref)] ?? {})
          return { status, description: meant.description ?? '', schema: schemaOf(meant) }
        }),
        scopes: one['x-token-scopes'] ?? [],
      })),
    )
    .sort((one, other) => one.tag.localeCompare(other.tag))

/** A request from a shell: the token is in its variable TOKEN, a body in the file body.json. */
export const curlLine = ({ method, path, body, scopes }: Operation, server: string): string =>
  [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    ...(scopes.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body ? ['-H "Content-Type: application/json"', '-d @body.json'] : []),
    `'${server}${path.replace(/^\//, '')}'`,
  ].join(' ')
