// How many requests were answered, by endpoint and status. Paths are not counted one by one: strangers choose them.
import type { RequestHandler, Response } from 'express'

/** The label for what is no endpoint: the page, its files, and paths that lead nowhere. */
const OTHER = 'other'

export interface RequestCount {
  readonly route: string
  readonly status: number
  readonly count: number
}

export class RequestCounts {
  readonly #counts = new Map<string, { readonly route: string; readonly status: number; count: number }>()

  /** A stream counts when it ends. */
  readonly middleware: RequestHandler = (_req, res, next) => {
    res.once('close', () => this.#add(routeOf(res), res.statusCode))
    next()
  }

  values(): Iterable<RequestCount> {
    return this.#counts.values()
  }

  #add(route: string, status: number): void {
    const key = `${status} ${route}`
    const counted = this.#counts.get(key) ?? { route, status, count: 0 }
    counted.count += 1
    this.#counts.set(key, counted)
  }
}

/** Called by what serves an endpoint. */
export function nameRoute(res: Response, route: string): void {
  res.locals['route'] = route
}

const routeOf = (res: Response): string => {
  const route: unknown = res.locals['route']
  return typeof route === 'string' ? route : OTHER
}
