// npm run dev: each daemon is bundled again and restarted when one of its sources changes; the page comes from Vite's
// own server, which has the browser take each change at once, and passes what it asks of the API on to the web daemon.
// Only the page that the daemon serves is under its policy.
import { mkdirSync } from 'node:fs'
import { ServerResponse } from 'node:http'
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

const daemons = new Daemons({ endsTogether: false })

/** Bundles the program now, and again for each change of a source, after which the daemon is restarted. */
async function watchProgram(daemon: Daemon): Promise<void> {
  const options = bundleOptions(PROGRAMS[daemon.name as 'helper' | 'web'], join(DEV, `${daemon.name}.cjs`))
  let isRunning = false
  let firstBuilt: () => void = () => undefined
  const first = new Promise<void>((resolve) => (firstBuilt = resolve))
  const restart: BundlePlugin = {
    name: 'restart',
    setup: (build) =>
      build.onEnd(async ({ errors }) => {
        if (errors.length > 0) return
        layOut(DEV)
        if (!isRunning) return firstBuilt()
        console.log(`The ${daemon.name} daemon is restarted, since a source of it has changed`)
        await daemons.restart(daemon).catch((error: unknown) => console.error(String(error)))
      }),
  }
  const watched = await context({ ...options, plugins: [...options.plugins, restart] })
  await watched.watch()
  await first
  await daemons.start(daemon)
  isRunning = true
}

async function servePage(): Promise<void> {
  const server = await createServer({
    configFile: join(ROOT, 'packaging/build/vite.config.ts'),
    plugins: [addresses],
    server: {
      host: '127.0.0.1',
      port: PAGE_PORT,
      strictPort: true,
      // The daemon takes a page of another origin for a stranger; here it is its own, one port further.
      proxy: {
        '/api': {
          target: API,
          configure: (proxy) => {
            proxy.on('proxyReq', (request) => request.removeHeader('origin'))
            proxy.on('error', ({ message }, _request, response) => {
              if (response instanceof ServerResponse)
                response.writeHead(502).end(`The web daemon does not answer (${message}): it may be restarting\n`)
            })
          },
        },
      },
    },
  })
  await server.listen()
  console.log(`The page, reloading on change, is at http://127.0.0.1:${PAGE_PORT}/`)
}

mkdirSync(DEV, { recursive: true })
await addons(DEV)
await watchProgram(helper())
sayWhereStateIs()
await watchProgram(web({ PANEL_PAGE_DIR: join(BUNDLE, 'ui') }))
await servePage()
await daemons.untilStopped()
process.exit()
