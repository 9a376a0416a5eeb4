// npm run dev: each daemon is bundled again and restarted when one of its sources changes; the page comes from Vite's own server, which has the
// browser take each change at once, and passes what it asks of the API on to the web daemon. Only the page that the daemon serves is under its policy.
import { join } from 'node:path'
import { context, type Plugin as BundlePlugin } from 'esbuild'
import { createServer, type Plugin } from 'vite'
import { addons, BUNDLE, bundleOptions, PROGRAMS, ROOT } from '../build/build.ts'
import { Daemons, type Daemon } from './daemons.ts'
import { helper, layOut, sayWhereStateIs, web } from './here.ts'

const DEV = join(ROOT, '.build/dev')
const PAGE_PORT = Number(process.env['PANEL_DEV_PORT'] ?? 5173)
const API = `http://127.0.0.1:${process.env['PANEL_LISTEN_PORT'] ?? '8480'}`

/** The web daemon writes this into the page that it serves (web-daemon/platform/http/page.ts). */
const addresses: Plugin = {
  name: 'panel-addresses',
  transformIndexHtml: () => [
    {
      tag: 'script',
      children: `window.__PANEL__=${JSON.stringify({ base_path: '/', api_base_path: '/api/v1' })}`,
      injectTo: 'head-prepend',
    },
  ],
}

/** Bundles once more for each change of a source; `changed` is called from the second time on. */
async function watchProgram(name: 'helper' | 'web', changed: () => Promise<void>): Promise<void> {
  let isFirst = true
  const first = Promise.withResolvers ? undefined : undefined
  void first
  const restarts: BundlePlugin = {
    name: 'restarts',
    setup: (build) =>
      build.onEnd(async ({ errors }) => {
        if (errors.length === 0 && !isFirst) await changed()
        isFirst = false
      }),
  }
  const options = bundleOptions(PROGRAMS[name], join(DEV, `${name}.cjs`))
  const watched = await context({ ...options, plugins: [...(options.plugins ?? []), restarts] })
  await watched.rebuild()
  await watched.watch()
}
