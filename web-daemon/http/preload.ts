// What a browser is told to fetch along with the page, before any script has run: the files and the first answers of its address.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** As packaging/build/page.ts writes it: addresses in the order in which they are tried, files under the web path by the language. */
interface Preload {
  readonly path: string
  readonly files: Readonly<Record<string, readonly string[]>>
  readonly first: readonly string[]
}

export interface Wanted {
  /** Under the web path, as `/tunnels/3`. */
  readonly path: string
  readonly language: string
  readonly hasSession: boolean
}

export type Preloads = (wanted: Wanted) => string

export const readPreloads = (directory: string, basePath: string, apiBasePath: string): Preloads => {
  const file = join(directory, 'preload.json')
  const known = (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Preload[]) : []).map((one) => ({ ...one, pattern: patternOf(one.path) }))
  return ({ path, language, hasSession }) => {
    const found = known.find(({ pattern }) => pattern.test(path))
    if (!found) return ''
    const files = (found.files[language] ?? []).map((name) => linkTo(`${basePath}/${name}`))
    const answers = hasSession ? found.first.map((asked) => `<link rel="preload" as="fetch" crossorigin="anonymous" href="${apiBasePath}${asked}">`) : []
    return [...files, ...answers].join('')
  }
}

/** Not more than a page of the app can be: what a stranger asks for must not fill memory with variants. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`.replace('//', '/'))

const linkTo = (file: string): string => (file.endsWith('.css') ? `<link rel="preload" as="style" crossorigin href="${file}">` : `<link rel="modulepreload" crossorigin href="${file}">`)
