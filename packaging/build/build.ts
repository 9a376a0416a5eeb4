// Builds what is shipped: one CommonJS file for each program, the native addons beside them, and the page.
import { execFileSync } from 'node:child_process'
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'
import { buildNative } from '../../root-helper/native/build.mjs'
import { ARCHITECTURES, crossSqlite, OWN_ARCHITECTURE } from './architecture.ts'
import { buildPage } from './page.ts'
import { loadFromBeside, ownSentences, standaloneValidators, withoutBodyParser, withoutSchemas } from './plugins.ts'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
export const BUNDLE = join(ROOT, '.build/bundle')
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/**
 * Reads a field of the last commit, so that the same sources give the same bytes. Returns "" outside of a repository.
 */
const ofCommit = (format: string): string => {
  try {
    return execFileSync('git', ['log', '-1', '--date=format-local:%Y-%m-%dT%H:%M:%SZ', `--format=${format}`], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, TZ: 'UTC' },
    }).trim()
  } catch {
    return ''
  }
}

/** `import.meta.url` has no meaning in CommonJS, so the bundle says where it lies itself. */
const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  banner: { js: "const import_meta_url = require('node:url').pathToFileURL(__filename).href;" },
  define: {
    'import.meta.url': 'import_meta_url',
    PANEL_VERSION: JSON.stringify(version),
    PANEL_COMMIT: JSON.stringify(ofCommit('%H')),
    PANEL_COMMIT_DATE: JSON.stringify(ofCommit('%cd')),
  },
  metafile: true,
  legalComments: 'eof',
  logLevel: 'warning',
  absWorkingDir: ROOT,
}

export function bundleOptions(entry: string, outfile: string) {
  return {
    ...common,
    metafile: true,
    entryPoints: [join(ROOT, entry)],
    outfile,
    plugins: [
      standaloneValidators(),
      loadFromBeside(),
      withoutBodyParser(),
      ...(entry === PROGRAMS.helper ? [withoutSchemas(), ownSentences()] : []),
    ],
  } satisfies BuildOptions
}

export async function bundle(entry: string, outfile: string): Promise<void> {
  const { metafile } = await build(bundleOptions(entry, outfile))
  await writeFile(outfile.replace(/\.cjs$/, '.meta.json'), JSON.stringify(metafile))
}

export const PROGRAMS = {
  helper: 'root-helper/main.ts',
  web: 'web-daemon/app/main.ts',
  'tunnel-panel': 'web-daemon/cli/main.ts',
}

/** What a bundle looks for beside itself. */
export async function addons(folder: string, architecture = OWN_ARCHITECTURE): Promise<void> {
  const modules = join(ROOT, 'node_modules')
  const { node, compiler } = ARCHITECTURES[architecture]
  const isOwn = architecture === OWN_ARCHITECTURE
  for (const name of ['panel', 'service'] as const)
    await cp(isOwn ? buildNative(name) : buildNative(name, compiler), join(folder, `${name}.node`))
  const sqlite = isOwn
    ? join(modules, 'better-sqlite3/build/Release/better_sqlite3.node')
    : await crossSqlite(modules, join(ROOT, '.build/native', compiler), architecture)
  await cp(sqlite, join(folder, 'better_sqlite3.node'))
  await cp(join(modules, `bcrypt/prebuilds/linux-${node}/bcrypt.glibc.node`), join(folder, 'bcrypt.node'))
}

/** Built beside and put in place at the end, so that a build that fails leaves the one before. */
export async function buildAll(to = BUNDLE): Promise<void> {
  const folder = `${to}.new`
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const programs = Object.entries(PROGRAMS).map(([name, entry]) => bundle(entry, join(folder, `${name}.cjs`)))
  await Promise.all([addons(folder), ...programs, buildPage(join(folder, 'ui'))])
  await cp(join(ROOT, '.build/page/page.meta.json'), join(folder, 'page.meta.json'))
  await rm(to, { recursive: true, force: true })
  await rename(folder, to)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildAll()
  console.log(`built ${BUNDLE}`)
}
