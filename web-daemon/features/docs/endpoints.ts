// Serves the API description outside of the versioned API (reference.md, API description; decisions.md, W20).
import { declarations, ok, type Endpoint } from '../../platform/http/endpoint.ts'
import { describeApi, type ApiDescription } from './document.ts'

/** The endpoints that describe the others, and are not described themselves. */
const { query } = declarations({ 'GET /docs': {}, 'GET /docs/': {} })

/** The document is made at the first request, so that an error in it fails only that request. */
export function docsEndpoints(endpoints: readonly Endpoint[], basePath: string): Endpoint[] {
  let made: ApiDescription | null = null
  return (['GET /docs', 'GET /docs/'] as const).map((route) =>
    query(route, {}, async () => ok((made ??= describeApi(endpoints, basePath)))),
  )
}
