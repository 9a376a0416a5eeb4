// Serves the page: read once, with the web path inserted and the inline script allowed by hash in the policy
// (decisions.md, W19).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Request, RequestHandler } from 'express'
import { message } from '@panel/shared/messages/message.ts'
import { encoded, readAssets, sendEncoded, type Asset, type Encoded } from './assets.ts'
import { removeGuards, setDocumentHeaders } from './headers.ts'
import { readPreloads, type Preloads } from './preload.ts'
import { Refusal } from './refusal.ts'
import { API_BASE, notFound } from './routes.ts'

export interface Page {
  readonly source: string
  readonly policy: string
  readonly assets: ReadonlyMap<string, Asset>
  readonly preloads: Preloads
}

/** How the page looks; `display` has what differs from the defaults, which the page knows, and a stranger may see. */
export interface Appearance {
  readonly language: string
  readonly theme: string
  readonly display: Readonly<Record<string, unknown>>
}

export function loadPage(directory: string, basePath: string): Page {
  const api_base_path = `${basePath}${API_BASE}`
  const script = `window.__PANEL__=${inScript({ base_path: `${basePath}/`, api_base_path })}`
  const text = readFileSync(join(directory, 'index.html'), 'utf8')
  for (const place of [ROOT_TAG, '<head>', '</head>'])
    if (!text.includes(place)) throw new Error(`${join(directory, 'index.html')} has no ${place} to write into`)
  const source = text
    .replace('<head>', () => `<head><script>${script}</script>`)
    .replaceAll('"./assets/', () => `"${basePath}/assets/`)
  return {
    source,
    policy: policyFor(script),
    assets: readAssets(join(directory, 'assets')),
    preloads: readPreloads(directory, basePath, api_base_path),
  }
}

export function pageRoutes(page: Page, readAppearance: () => Appearance): RequestHandler {
  const htmlFor = cachedPage(page)
  return (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new Refusal('METHOD_NOT_ALLOWED', message('panel.method', { method: req.method, allowed: 'GET, HEAD' }), {
        headers: { Allow: 'GET, HEAD' },
      })
    }
    if (req.path.startsWith('/assets/')) {
      const asset = page.assets.get(req.path)
      if (!asset) throw notFound()
      removeGuards(res)
      res.set({
        'Content-Type': asset.type,
        'Cache-Control': asset.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      })
      sendEncoded(req, res, asset)
    } else {
      setDocumentHeaders(res)
      res.set({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': page.policy })
      const appearance = readAppearance()
      const preloads = page.preloads({
        path: req.path,
        language: appearance.language,
        hasSession: hasSession(req),
      })
      sendEncoded(req, res, htmlFor(preloads, rootTag(appearance)))
    }
  }
}

const hasSession = (req: Request): boolean => 'panel_access' in ((req.cookies ?? {}) as object)

/** One entry per address of the app, with and without a session, for one appearance. */
const CACHE_MAX = 100

const cachedPage = ({ source }: Page): ((links: string, root: string) => Encoded) => {
  const made = new Map<string, Encoded>()
  return (links, root) => {
    const key = `${root}${links}`
    const cached = made.get(key)
    if (cached) return cached
    if (made.size >= CACHE_MAX) made.clear()
    const html = encoded(Buffer.from(source.replace(ROOT_TAG, () => root).replace('</head>', () => `${links}</head>`)))
    made.set(key, html)
    return html
  }
}

/** The first line of ui/index.html. */
const ROOT_TAG = '<html lang="en" dir="ltr">'

/** The appearance is part of the document, so that it holds before the first paint. */
const rootTag = ({ language, theme, display }: Appearance): string => {
  const json = JSON.stringify(display).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}" data-theme="${theme}" data-display="${json}">`
}

/** `script` is exactly the text between the script tags. */
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
