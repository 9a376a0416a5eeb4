// The API description: an OpenAPI 3.0.3 document made from the endpoints that are served (reference.md, API
// description; decisions.md, T16, T22, W20).
import { TAGS, type Endpoint, type Method } from '../../platform/http/endpoint.ts'
import { endpointMethod } from '../../platform/http/routes.ts'
import { VERSION } from '../../platform/version.ts'
import { describeOperation, servedPath, type Operation } from './operation.ts'
import { refusalResponses, type Response } from './responses.ts'
import { Components, type OpenApiSchema } from './schema.ts'

export type PathItem = Readonly<Partial<Record<Lowercase<Method>, Operation>>>

export interface ApiDescription {
  readonly openapi: '3.0.3'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly securitySchemes: Readonly<Record<string, OpenApiSchema>>
  }
  readonly security: readonly OpenApiSchema[]
}

const DESCRIPTION = `Everything but signing in takes a session, which POST /api/v1/auth/login gives as cookies, and everything but GET the header X-CSRF-Token; or an API token, which needs neither.
Each operation lists the statuses that it answers with. A method that its path does not have is a 405. Whatever is refused is answered with an Error.`

/** Throws if two endpoints are one operation, or a schema cannot be expressed in OpenAPI. */
export function describeApi(endpoints: readonly Endpoint[], basePath: string): ApiDescription {
  const components = new Components()
  const paths: Record<string, Record<string, Operation>> = {}
  const ids = new Set<string>()
  for (const endpoint of endpoints) {
    const operation = describeOperation(endpoint, components)
    if (ids.has(operation.operationId)) throw new Error(`Two operations are called ${operation.operationId}`)
    ids.add(operation.operationId)
    const item = (paths[servedPath(endpoint)] ??= {})
    item[endpointMethod(endpoint).toLowerCase()] = operation
  }
  const responses = refusalResponses(components)
  return {
    openapi: '3.0.3',
    info: { title: 'Tunnel and Port-Forwarding Panel', version: VERSION, description: DESCRIPTION },
    servers: [{ url: `${basePath}/` }],
    tags: [...TAGS].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      responses,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'panel_access' },
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token. x-token-scopes says which scopes are enough.',
        },
      },
    },
    security: [{ session: [] }],
  }
}
