// Serves the app page and its files: read once, with the web path written in and its inline script named by hash in the policy (decisions.md, W19).
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { RequestHandler } from 'express'
import { Refusal } from './refusal.ts'
import { API_BASE, notFound } from './routes.ts'

export interface Page {
  readonly html: Buffer
  readonly policy: string
  /** By the path under the prefix, as `/assets/start.js`. */
  readonly assets: ReadonlyMap<string, Asset>
}

interface Asset {
  readonly bytes: Buffer
  readonly type: string
  /** A name that bears a hash of its content never changes its content. */
  readonly isHashed: boolean
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

export const loadPage = (directory: string, basePath: string): Page => {
  const script = `window.__PANEL__=${inScript({ base_path: `${basePath}/`, api_base_path: `${basePath}${API_BASE}` })}`
  const source = readFileSync(join(directory, 'index.html'), 'utf8')
  if (!source.includes('<head>')) throw new Error(`${join(directory, 'index.html')} has no <head> to put the web path into`)
  const html = source.replace('<head>', () => `<head><script>${script}</script>`).replaceAll('"./assets/', () => `"${basePath}/assets/`)
  return { html: Buffer.from(html), policy: policyFor(script), assets: readAssets(join(directory, 'assets')) }
}

export const pageRoutes = (page: Page): RequestHandler => (req, res) => {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    throw new Refusal('METHOD_NOT_ALLOWED', `The method ${req.method} is not possible here, but GET, HEAD`, { headers: { Allow: 'GET, HEAD' } })
  }
  if (req.path.startsWith('/assets/')) {
    const asset = page.assets.get(req.path)
    if (!asset) throw notFound()
    res.set({ 'Content-Type': asset.type, 'Cache-Control': asset.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache' })
    res.removeHeader('Pragma')
    res.set('Content-Length', String(asset.bytes.length)).end(asset.bytes)
  } else {
    res.set({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': page.policy, 'Content-Length': String(page.html.length) }).end(page.html)
  }
}

/** The page of design/ui.md; `script` is exactly what stands between the script tags. */
const policyFor = (script: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types svelte-trusted-html',
  ].join('; ')

const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/** As the bundler writes it; a word of eight small letters is no hash. */
const HASHED_NAME = /-(?=[\w-]*[A-Z0-9])[\w-]{8}\.\w+$/

/** Held in memory under their exact names, so no path of a request ever reaches the file system. */
const readAssets = (directory: string): Map<string, Asset> => {
  const names = existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()) : []
  return new Map(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const type = TYPES[extname(entry.name)] ?? 'application/octet-stream'
      return [`/assets${path.slice(directory.length)}`, { bytes: readFileSync(path), type, isHashed: HASHED_NAME.test(entry.name) }]
    }),
  )
}
