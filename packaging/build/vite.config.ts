// How the page is built: relative addresses, since the web path is known only to the daemon that serves it, and nothing inlined that its policy forbids.
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'

const PAGE = fileURLToPath(new URL('../../ui', import.meta.url))
const ROOT = join(PAGE, '..')

/** What the page is made of, told as esbuild tells it of the programs: the package names the licences of all of it. */
const tellInputs: Plugin = {
  name: 'tell-inputs',
  generateBundle(_options, bundle) {
    const made = Object.values(bundle).flatMap((part) =>
      part.type === 'chunk' ? part.moduleIds : part.originalFileNames.map((name) => join(PAGE, name)),
    )
    const inputs = Object.fromEntries(made.map((id) => [relative(ROOT, id.replace(/\?.*$/, '')), {}]))
    this.emitFile({ type: 'asset', fileName: 'page.meta.json', source: JSON.stringify({ inputs }) })
  },
}

export default defineConfig({
  root: PAGE,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [svelte({ configFile: join(PAGE, 'svelte.config.js') }), tellInputs],
  build: {
    target: 'es2022',
    // The oldest that know light-dark().
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    outDir: '../.build/page',
    emptyOutDir: true,
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What every page needs comes in one piece, what most need in another, and what the pages of one thing share in a third: many small ones take
    // turns on a slow line, compress worse, and bear headers longer than they are. The entry stays a file by that name.
    rolldownOptions: {
      output: {
        // No word of a name can pass for one: the daemon has files that bear a hash kept for ever (web-daemon/platform/http/assets.ts).
        hashCharacters: 'hex',
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], test: /^(?!.*\/ui\/(index\.html|src\/main\.ts))/, priority: 2 },
            { name: 'table', test: /\/components\/DataTable\.svelte/, priority: 2 },
            { name: 'common', test: /\/ui\/src\/(components|core)\//, minShareCount: 8, priority: 1 },
            { name: 'Chart', test: /\/ui\/src\/(components\/Chart\.svelte|core\/spans\.ts)/ },
            { name: 'figures', test: /\/components\/(Figure|Sparkline)\.svelte/ },
            { name: 'states', test: /\/features\/tunnels\/labels\.ts/, priority: 1 },
            { name: 'tunnel', test: /\/features\/tunnels\/TunnelHead\.svelte/ },
            { name: 'rule', test: /\/features\/routes\/(RuleMenu|Shadowed|actions|last-warnings)\./ },
          ],
        },
      },
    },
  },
})
