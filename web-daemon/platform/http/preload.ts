// Preload links for the page: the files and first answers of its address, so that the browser fetches them before any
// script runs.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Paths below the web path, by language. */
type Files = Readonly<Record<string, readonly string[]>>

/**
 * Written by packaging/build/page.ts: routes in the order in which they are matched, and the files of the sign-in page.
 */
interface Preload {
  readonly entrance: Files
  readonly routes: readonly { readonly path: string; readonly files: Files; readonly first: readonly string[] }[]
}

const NOTHING: Preload = { entrance: {}, routes: [] }

export interface PageRequest {
  /** Below the web path, such as `/tunnels/3`. */
  readonly path: string
  readonly language: string
  readonly hasSession: boolean
}

export type Preloads = (request: PageRequest) => string

export function readPreloads(directory: string, basePath: string, apiBasePath: string): Preloads {
  const file = join(directory, 'preload.json')
  const { entrance, routes } = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Preload) : NOTHING
  const preloadRoutes = routes.map((one) => ({ ...one, pattern: patternOf(one.path) }))
  const links = (files: Files | undefined, language: string): string[] =>
    (files?.[language] ?? []).map((name) => linkTo(`${basePath}/${name}`))
  return ({ path, language, hasSession }) => {
    if (!hasSession) return links(entrance, language).join('')
    const route = preloadRoutes.find(({ pattern }) => pattern.test(path))
    const answers = (route?.first ?? []).map(
      (url) => `<link rel="preload" as="fetch" crossorigin="anonymous" href="${apiBasePath}${url}">`,
    )
    return [...links(route?.files, language), ...answers].join('')
  }
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`.replace('//', '/'))

const linkTo = (file: string): string =>
  file.endsWith('.css')
    ? `<link rel="preload" as="style" crossorigin href="${file}">`
    : `<link rel="modulepreload" crossorigin href="${file}">`
