// The schemas from which the checks of params are generated, here and by the build: what stands in several places is
// one schema that they refer to, so its check is generated once.
import { METHODS } from '@panel/shared/rpc/methods.ts'

interface Schema {
  readonly [word: string]: unknown
  readonly nullable?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** Without `inlineRefs` ajv would put back in place what has no references of its own. */
export const AJV_OPTIONS = { strict: true, strictTypes: false, inlineRefs: false } as const

/** A schema that is shorter as JSON stays in place: 2,000 rules have many, and a call costs more than its check. */
const SHORTEST = 100

/** The order of properties is part of what makes two schemas one: it decides which error is the first. */
const textOf = (schema: Schema): string => JSON.stringify(schema)

const innerOf = ({ properties = {}, items, anyOf = [] }: Schema): readonly Schema[] => [
  ...Object.values(properties),
  ...(items ? [items] : []),
  ...anyOf,
]

/** Counts in how many places each schema stands, with null or without. What stands inside two copies stands once. */
function count({ nullable: _, ...schema }: Schema, times: Map<string, number>): void {
  const text = textOf(schema)
  const before = times.get(text) ?? 0
  times.set(text, before + 1)
  if (before === 0) for (const inner of innerOf(schema)) count(inner, times)
}

/** `else` adds an error after those of the schema it leads to, and only the first is read. */
const orNull = (schema: Schema): Schema => ({ if: { type: 'null' }, else: schema })

/** Returns a schema for each method, under its name as `$id`, and those that they refer to. */
export function paramsSchemas(): Schema[] {
  const params = Object.entries(METHODS).map(([name, method]): [string, Schema] => [name, method.params])
  const times = new Map<string, number>()
  for (const [, schema] of params) count(schema, times)
  const shared = new Map<string, string>()
  const schemas: Schema[] = []

  const place = ({ nullable, ...schema }: Schema): Schema => {
    const text = textOf(schema)
    if (times.get(text) === 1 || text.length < SHORTEST)
      return withReferences({ ...schema, ...(nullable && { nullable }) })
    if (!shared.has(text)) {
      shared.set(text, `shared-${shared.size}`)
      schemas.push({ ...withReferences(schema), $id: shared.get(text) })
    }
    const reference = { $ref: shared.get(text) }
    return nullable ? orNull(reference) : reference
  }
  const withReferences = (schema: Schema): Schema => ({
    ...schema,
    ...(schema.properties && {
      properties: Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, place(inner)])),
    }),
    ...(schema.items && { items: place(schema.items) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(place) }),
  })
  for (const [name, schema] of params) schemas.push({ ...place(schema), $id: name })
  return schemas
}
