// Where the API description is read: beside the API, since it is of no version of it (interface.md, API description; decisions.md, W20).
import { declarations, ok, type Endpoint } from '../../platform/http/endpoint.ts'
import { describeApi, type ApiDescription } from './document.ts'

/** It describes the others, and itself nowhere. */
interface DocsEndpoints {
  'GET /docs': unknown
  'GET /docs/': unknown
}

const { query } = declarations<DocsEndpoints>()

/** It is made when it is first asked for: what cannot be described fails that request and no other. */
export function docsEndpoints(endpoints: readonly Endpoint[], basePath: string): Endpoint[] {
  let made: ApiDescription | null = null
  return (['GET /docs', 'GET /docs/'] as const).map((route) =>
    query(route, {}, async () => ok((made ??= describeApi(endpoints, basePath)))),
  )
}
