// The words for endpoints that only a test has: no table names them, so their declaration alone says what they are.
import { declarations, type Route } from '@panel/web-daemon/platform/http/endpoint.ts'

export const { query, preview, command, stream } = declarations<Readonly<Record<Route, unknown>>>()
