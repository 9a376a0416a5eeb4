// The words for endpoints that only a test has: no table has their schemas, so their declarations give them.
import { declarations, type Route, type Schemas } from '@panel/web-daemon/platform/http/endpoint.ts'

export const { query, preview, command, stream } = declarations<Readonly<Record<Route, Schemas>>, Schemas>({})
