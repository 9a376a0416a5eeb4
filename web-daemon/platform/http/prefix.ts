// The web path prefix: other paths are answered as if there were no panel (reference.md, Addressing 1 to 4;
// decisions.md, W17, W18).
import type { RequestHandler } from 'express'

/** "" without a prefix, "/panel" with one. */
export function toBasePath(webPath: string): string {
  return webPath === '' ? '' : `/${webPath}`
}

/**
 * Passes on requests under the prefix and removes it from their URL. It compares raw text, so case and encoding count.
 * Several slashes after it are one: a client whose server address ends in a slash sends two.
 */
export function requirePrefix(basePath: string): RequestHandler {
  return (req, res, next) => {
    const url = originForm(req.url)
    const { path, search } = split(url)
    if (path === basePath && basePath !== '' && (req.method === 'GET' || req.method === 'HEAD')) {
      res.writeHead(301, { Location: `${basePath}/${search}`, 'Content-Length': 0 }).end()
    } else if (path.startsWith(`${basePath}/`)) {
      req.url = url.slice(basePath.length).replace(/^\/+/, '/')
      next()
    } else {
      // A scanner that searches for a panel keeps no connection to one.
      res.shouldKeepAlive = false
      res.writeHead(404, { 'Content-Length': 0 }).end()
    }
  }
}

/**
 * Whether a path leads to the API, or would if its slashes and dots were written plainly. Such a path is never answered
 * with the page.
 */
export function isApiPath(path: string): boolean {
  const { pathname } = new URL(`http://panel${path.replaceAll(/%2f/gi, '/')}`)
  return [path, pathname].some((one) => /^\/+api(\/|$)/.test(one))
}

/** A proxy may send the absolute form (RFC 9112, 3.2.2), which names the same resource. */
const originForm = (url: string): string => {
  const withoutHost = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return withoutHost === url || withoutHost.startsWith('/') ? withoutHost : `/${withoutHost}`
}

const split = (url: string): { path: string; search: string } => {
  const at = url.indexOf('?')
  return at < 0 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at) }
}
