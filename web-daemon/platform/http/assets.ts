// The files of the page, held in memory by their exact names, so that no request path reaches the file system.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'

type Encoding = 'br' | 'gzip'

/** A content, plain and compressed: compressed at build time, or by a getter on demand. */
export interface Encoded {
  readonly plain: Buffer
  readonly compressed: Partial<Record<Encoding, Buffer>>
}

export interface Asset extends Encoded {
  readonly type: string
  /** The name contains a hash, so the content never changes. */
  readonly isHashed: boolean
}

/** No type that a browser opens as a document, because the headers that protect documents are left out. */
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

const ENDINGS: Record<Encoding, string> = { br: '.br', gzip: '.gz' }

/** Matches the names that packaging/build/vite.config.ts configures. */
const HASHED_NAME = /-[0-9a-f]{7}\.\w+$/

/** Reads the assets, by path below the prefix, such as `/assets/index-0c4d2e9.js`. */
export function readAssets(directory: string): Map<string, Asset> {
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

/** Compresses content that is generated at run time and sent often. */
export function encoded(plain: Buffer): Encoded {
  return {
    plain,
    compressed: {
      br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
      gzip: gzipSync(plain),
    },
  }
}

const SMALLEST_FIRST: readonly Encoding[] = ['br', 'gzip']

/** Sends the smallest encoding that the client accepts. */
export function sendEncoded(req: Request, res: Response, { plain, compressed }: Encoded): void {
  const encoding = SMALLEST_FIRST.find((one) => one in compressed && req.acceptsEncodings(one, 'identity') === one)
  const bytes = encoding && compressed[encoding]
  if (Object.keys(compressed).length > 0) res.vary('Accept-Encoding')
  if (encoding) res.set('Content-Encoding', encoding)
  // HTTP/1.1 keeps a connection by default, and a first visit is some fifty answers.
  if (res.shouldKeepAlive && res.getHeader('Connection') !== 'close') res.removeHeader('Connection')
  res.set('Content-Length', String((bytes ?? plain).length)).end(bytes ?? plain)
}
