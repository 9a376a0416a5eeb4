// The operations of the API description with what they refer to in the place of each reference.
import type { ApiDescription } from '@panel/web-daemon/features/docs/document.ts'

interface Referring {
  readonly $ref?: string
  readonly allOf?: readonly object[]
}

export function inlined(document: ApiDescription): ApiDescription['paths'] {
  const at = (pointer: string): unknown =>
    pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((inner, step) => (inner as Readonly<Record<string, unknown>>)[step], document)
  const inline = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_name, inner: Referring | string | number | boolean | null) => {
      if (typeof inner !== 'object' || inner === null) return inner
      if (inner.$ref !== undefined) return inline(at(inner.$ref))
      return inner.allOf ? { ...inner, ...inner.allOf[0] } : inner
    })
  return inline(document.paths) as ApiDescription['paths']
}
