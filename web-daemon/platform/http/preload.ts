// What a browser is told to fetch along with the page, before any script has run: the files and the first answers of its address.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Under the web path, by the language. */
type Files = Readonly<Record<string, readonly string[]>>

/** As packaging/build/page.ts writes it: addresses in the order in which they are tried, and what sign-in needs. */
interface Preload {
  readonly entrance: Files
  readonly routes: readonly { readonly path: string; readonly files: Files; readonly first: readonly string[] }[]
}

const NOTHING: Preload = { entrance: {}, routes: [] }

export interface PageRequest {
  /** Under the web path, as `/tunnels/3`. */
  readonly path: string
  readonly language: string
  readonly hasSession: boolean
}

export type Preloads = (request: PageRequest) => string

export const readPreloads = (directory: string, basePath: string, apiBasePath: string): Preloads => {
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
