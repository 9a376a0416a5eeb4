// The API description as a client reads it.
import assert from 'node:assert/strict'
import type { ApiDescription } from '@panel/web-daemon/features/docs/document.ts'
import type { Operation } from '@panel/web-daemon/features/docs/operation.ts'
import type { Response, Responses } from '@panel/web-daemon/features/docs/responses.ts'
import type { OpenApiSchema } from '@panel/web-daemon/features/docs/schema.ts'
import type { Status } from '@panel/web-daemon/platform/http/endpoint.ts'
import type { Client, Reply } from './client.ts'

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]

export const docsOf = (client: Client, path = 'api/docs'): Promise<Reply<ApiDescription>> =>
  client.raw<ApiDescription>('GET', `${new URL(client.base).pathname}${path}`)

/** Every operation with the path and the method that it stands under. */
export const operationsOf = ({ paths }: ApiDescription): { path: string; method: string; operation: Operation }[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )

/** A response of an operation, or the component that it refers to. */
export function resolved({ components }: ApiDescription, response: Responses[Status] = { $ref: '' }): Response {
  const found = '$ref' in response ? components.responses[nameIn(response.$ref)] : response
  assert.ok(found, JSON.stringify(response))
  return found
}

/** A schema, or the component that it refers to. */
export const schemaIn = ({ components }: ApiDescription, schema: OpenApiSchema): OpenApiSchema =>
  components.schemas[nameIn(String(schema['$ref']))] ?? schema

const nameIn = (reference: string): string => reference.split('/').at(-1) ?? ''
