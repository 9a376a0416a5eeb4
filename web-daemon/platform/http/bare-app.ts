// The Express app before anything is mounted on it.
import express, { type Express } from 'express'

/** Paths are compared exactly as written, and no header names the server software. */
export function bareApp(trustedProxies: readonly string[]): Express {
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('etag', false)
  app.set('query parser', false)
  app.set('trust proxy', trustedProxies)
  return app
}
