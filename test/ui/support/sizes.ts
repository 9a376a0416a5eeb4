// The sizes of what is built, in KB: by gzip, as browsers ask for over plain HTTP.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PAGE_DIR } from '../../api/support/panel.ts'

/** In KB. `first_page` is by brotli and has headers and data in it; `api` is the description of the API beside it. */
export const LIMITS = { first_load: 45, route: 15, chart: 26, first_page: 90, api: 60 } as const

interface Preload {
  readonly routes: readonly { readonly path: string; readonly files: Readonly<Record<string, readonly string[]>> }[]
}

const total = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(join(PAGE_DIR, `${file}.gz`)).size / 1000, 0)

/** What index.html links. */
export const firstLoad = (): number => {
  const html = readFileSync(join(PAGE_DIR, 'index.html'), 'utf8')
  return total([...html.matchAll(/"\.\/(assets\/[^"]+)"/g)].map((match) => String(match[1])))
}

/** The chunk and the styles of each page alone, the largest first. */
export const routeSizes = (): { path: string; size: number }[] => {
  const { routes } = JSON.parse(readFileSync(join(PAGE_DIR, 'preload.json'), 'utf8')) as Preload
  return routes
    .map(({ path, files }) => ({ path, size: total((files['en'] ?? []).filter((file) => /Page-/.test(file))) }))
    .sort((a, b) => b.size - a.size)
}

/** The library that draws charts. */
export const chartSize = (): number =>
  total(
    readdirSync(join(PAGE_DIR, 'assets'))
      .filter((name) => /^chart-.*\.(js|css)$/.test(name))
      .map((name) => `assets/${name}`),
  )
