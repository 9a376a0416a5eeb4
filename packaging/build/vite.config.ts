// Builds the page with relative addresses, because the web path is set at run time, and inlines nothing that the
// content security policy forbids.
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'

const PAGE = fileURLToPath(new URL('../../ui', import.meta.url))
const ROOT = join(PAGE, '..')

/** Writes the page's sources as an esbuild metafile, from which the package lists licences. */
const listInputs: Plugin = {
  name: 'list-inputs',
  generateBundle(_options, bundle) {
    const made = Object.values(bundle).flatMap((part) =>
      part.type === 'chunk' ? part.moduleIds : part.originalFileNames.map((name) => join(PAGE, name)),
    )
    const inputs = Object.fromEntries(made.map((id) => [relative(ROOT, id.replace(/\?.*$/, '')), {}]))
    this.emitFile({ type: 'asset', fileName: 'page.meta.json', source: JSON.stringify({ inputs }) })
  },
}

/** What nearly every page uses beside the frame, in one chunk. */
const COMMON = new RegExp(
  `/ui/src/(components|components/(form|impact|message)|core|features/tunnels|shell)/(${[
    ...['Answer', 'Banner', 'Chip', 'Code', 'CopyButton', 'Dialog', 'Disclosure', 'ErrorBox', 'Facts', 'Force'],
    ...['ImpactOf', 'Later', 'Live', 'PageHead', 'Switch', 'TunnelName', 'Warnings'],
    ...['act', 'cancelled', 'copy', 'in-view', 'kept-results', 'live', 'notifications', 'own-access', 'stream'],
    ...['unsaved', 'safe-apply-query', 'tunnel-names', 'tunnel-query'],
  ].join('|')})\\.|/features/(tunnels/labels|routes/(rule-health|formats))\\.ts`,
)

export default defineConfig({
  root: PAGE,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [svelte({ configFile: join(PAGE, 'svelte.config.js') }), listInputs],
  build: {
    target: 'es2022',
    // The oldest with light-dark().
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    outDir: '../.build/page',
    emptyOutDir: true,
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Few shared chunks instead of many small ones, which compress worse and cost a request each.
    rolldownOptions: {
      // Would cost every page a request for the bundler's own helper, and save some that few pages make.
      experimental: { chunkOptimization: { mergeCommonChunks: true, avoidRedundantChunkLoads: false } },
      output: {
        // No word of a file name looks like a hash: the daemon caches hashed files forever
        // (web-daemon/platform/http/assets.ts).
        hashCharacters: 'hex',
        // Each page names hundreds of files, so the hash is no longer than it takes to tell two versions apart.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7].[ext]',
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: 'table', test: /\/components\/list\/(DataTable\.svelte|kept\.ts|list-state\.svelte)/, priority: 2 },
            { name: 'common', test: COMMON, priority: 1 },
            {
              name: 'form',
              test: /\/(core\/(form|managed|uncached)\.svelte|components\/form\/(Field|ManagedBy|Wrong))\./,
            },
            { name: 'Changes', test: /\/(core\/changed-values|components\/form\/(Changes|Difference|field-words))\./ },
            { name: 'Chart', test: /\/components\/chart\/Chart\.svelte/ },
            {
              name: 'figures',
              test: /\/components\/chart\/(Figure|Sparkline|sparkline|range|rates|live-rates|stored-points)\./,
            },
            { name: 'tunnel', test: /\/features\/tunnels\/TunnelHead\.svelte/ },
            { name: 'path', test: /\/(features\/routes\/PathCard|components\/AnalyzeFirst)\./ },
            { name: 'sentence', test: /\/components\/message\/(Linked|Names)\./ },
            { name: 'moved', test: /\/features\/routes\/(MovedNote|shadows)\./ },
            { name: 'rule', test: /\/features\/routes\/(RuleMenu|Shadowed|labels|last-warnings|stale)\./ },
            { name: 'rule-page', test: /\/(components\/FirstSight|features\/routes\/(actions|rule-rates))\./ },
          ],
        },
      },
    },
  },
})
