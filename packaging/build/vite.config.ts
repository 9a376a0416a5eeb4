// How the page is built: relative addresses, since the web path is known only to the daemon that serves it, and nothing inlined that its policy forbids.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

const PAGE = fileURLToPath(new URL('../../ui', import.meta.url))

export default defineConfig({
  root: PAGE,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [svelte({ configFile: join(PAGE, 'svelte.config.js') })],
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
  },
})
