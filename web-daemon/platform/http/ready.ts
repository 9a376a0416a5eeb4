// Spells the requests that an answer holds ready to be sent (shared/api/base/ready.ts).
import type { ENDPOINTS } from '@panel/shared/api/endpoints.ts'

type Known = keyof typeof ENDPOINTS
type MethodOf<R> = R extends `${infer M} /${string}` ? M : never

export function apiPath(route: Known, ids: Readonly<Record<string, number>> = {}): string {
  return route.replace(/^\w+ /, '').replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
}

export function readyRequest<R extends Known, B>(route: R, body: B, ids: Readonly<Record<string, number>> = {}) {
  return { method: route.replace(/ .*/, '') as MethodOf<R>, path: apiPath(route, ids), body }
}
