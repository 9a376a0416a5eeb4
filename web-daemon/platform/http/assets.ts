// The files of the page, held in memory under their exact names, so that no path of a request ever reaches the file system.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'

type Encoding = 'br' | 'gzip'

/** One content, as it is and compressed: beforehand, or by a getter for whoever takes that. */
export interface Encoded {
  readonly plain: Buffer
  readonly compressed: Partial<Record<Encoding, Buffer>>
}

export interface Asset extends Encoded {
  readonly type: string
  /** A name that bears a hash of its content never changes its content. */
  readonly isHashed: boolean
}

/** None that a browser would open as a document: they are sent without what a document is guarded by. */
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

const ENDINGS: Record<Encoding, string> = { br: '.br', gzip: '.gz' }

/** As the bundler is told to write it (packaging/build/vite.config.ts). */
const HASHED_NAME = /-[0-9a-f]{8}\.\w+$/

/** By the path under the prefix, as `/assets/index-0c4d2e9a.js`. */
export const readAssets = (directory: string): Map<string, Asset> => {
  const names = existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name),
      )
    : []
  return new Map(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const type = TYPES[extname(entry.name)] ?? 'application/octet-stream'
      return [
        `/assets${path.slice(directory.length)}`,
        { plain: readFileSync(path), compressed: compressedFiles(path), type, isHashed: HASHED_NAME.test(entry.name) },
      ]
    }),
  )
}

const compressedFiles = (path: string): Asset['compressed'] =>
  Object.fromEntries(
    Object.entries(ENDINGS).flatMap(([encoding, ending]) =>
      existsSync(path + ending) ? [[encoding, readFileSync(path + ending)]] : [],
    ),
  )

/** For what is made while the panel runs, and sent often. */
export const encoded = (plain: Buffer): Encoded => ({
  plain,
  compressed: {
    br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    gzip: gzipSync(plain),
  },
})

const SMALLEST_FIRST: readonly Encoding[] = ['br', 'gzip']

/** The smallest that the client takes and does not like less than the content as it is. */
export const sendEncoded = (req: Request, res: Response, { plain, compressed }: Encoded): void => {
  const encoding = SMALLEST_FIRST.find((one) => one in compressed && req.acceptsEncodings(one, 'identity') === one)
  const bytes = encoding && compressed[encoding]
  if (Object.keys(compressed).length > 0) res.vary('Accept-Encoding')
  if (encoding) res.set('Content-Encoding', encoding)
  res.set('Content-Length', String((bytes ?? plain).length)).end(bytes ?? plain)
}
