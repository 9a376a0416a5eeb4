// Builds the page with Vite, compresses it, and lists the files to preload for each address.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type Manifest } from 'vite'
import { FIRST_ANSWERS } from '../../ui/src/core/first-answers.ts'
import { ROUTES } from '../../ui/src/core/routes.ts'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const BUILT = join(ROOT, '.build/page')
const LANGUAGES = ['en', 'fa', 'ru', 'zh-CN'] as const

type FilesByLanguage = Readonly<Record<string, readonly string[]>>

/**
 * The form that the web daemon reads (web-daemon/platform/http/preload.ts): addresses in the order in which they are
 * tried, files under the web path.
 */
interface Preload {
  /** For the sign-in page, whatever the address. */
  readonly entrance: FilesByLanguage
  readonly routes: readonly {
    readonly path: string
    readonly files: FilesByLanguage
    readonly first: readonly string[]
  }[]
}

/** Builds the page into the folder, ready to serve. */
export async function buildPage(folder: string): Promise<void> {
  await build({ configFile: join(ROOT, 'packaging/build/vite.config.ts') })
  const manifest = JSON.parse(await readFile(join(BUILT, 'manifest.json'), 'utf8')) as Manifest
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all([
    cp(join(BUILT, 'index.html'), join(folder, 'index.html')),
    cp(join(BUILT, 'assets'), join(folder, 'assets'), { recursive: true }),
  ])
  await writeFile(join(folder, 'preload.json'), JSON.stringify(preloadOf(manifest)))
  await compress(join(folder, 'assets'))
}

const preloadOf = (manifest: Manifest): Preload => ({
  entrance: byLanguage(manifest, 'src/shell/Entrance.svelte', []),
  routes: ROUTES.map(({ path, page, areas }) => ({
    path,
    first: FIRST_ANSWERS[path] ?? [],
    files: byLanguage(manifest, `src/features/${page}.svelte`, areas),
  })),
})

/** Without the files that index.html links itself. */
const byLanguage = (manifest: Manifest, source: string, areas: readonly string[]): FilesByLanguage => {
  const linked = filesOf(manifest, 'index.html')
  const catalogues = (language: string): string[] =>
    ['areas.ts', ...areas.map((area) => `${area}.json`)].map((name) => `src/locales/${language}/${name}`)
  const files = (language: string): string[] =>
    [source, ...catalogues(language)].flatMap((one) => [...filesOf(manifest, one)]).filter((file) => !linked.has(file))
  return Object.fromEntries(LANGUAGES.map((language) => [language, [...new Set(files(language))]]))
}

/** A chunk with its styles and static imports. */
const filesOf = (manifest: Manifest, source: string, files = new Set<string>()): Set<string> => {
  const chunk = manifest[source]
  if (!chunk) throw new Error(`the build of the page has no ${source}`)
  if (files.has(chunk.file)) return files
  for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, files)
  return files
}

/** Fonts have their own compression. */
async function compress(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(js|css)$/.test(name))
  await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name))
      await writeFile(
        join(folder, `${name}.br`),
        await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
      )
      await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }))
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(ROOT, '.build/bundle/ui')
  await buildPage(folder)
  console.log(`built the page into ${folder}`)
}
