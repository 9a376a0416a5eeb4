// Programs of the tests and of the product that a test starts as processes of their own, each bundled once by the
// process that starts it: loaded as sources, file by file, a program takes two seconds of processor time to start.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { ROOT } from '../../packaging/build/build.ts'

/** In the tree, so that packages are found from there. */
const FOLDER = join(ROOT, '.build/test/programs')
const bundled = new Map<string, Promise<string>>()

/** Returns the path of what node runs in the place of the program at `url`, a source. */
export function program(url: URL): Promise<string> {
  let path = bundled.get(url.pathname)
  if (!path) bundled.set(url.pathname, (path = bundle(url.pathname)))
  return path
}

async function bundle(entry: string): Promise<string> {
  const outfile = join(ownFolder(), `${relative(ROOT, entry).replaceAll('/', '-').replace(/\.ts$/, '')}.mjs`)
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Packages that are CommonJS require what node has built in.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)",
    },
    external: ['better-sqlite3', 'bcrypt', 'pg-native', 'esbuild'],
    plugins: [whereTheyWere()],
    logLevel: 'warning',
  })
  return outfile
}

let own: string | null = null

function ownFolder(): string {
  if (own !== null) return own
  mkdirSync(FOLDER, { recursive: true })
  const folder = mkdtempSync(join(FOLDER, `${process.pid}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return (own = folder)
}

/** Sources look for files beside themselves, which the bundle is not. */
function whereTheyWere(): Plugin {
  return {
    name: 'where-they-were',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!text.includes('import.meta.')) return null
        const contents = text
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        return { contents, loader: 'ts' }
      })
    },
  }
}
