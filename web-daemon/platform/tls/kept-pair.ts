// Keeps a server's certificate that of its files: what replaces them is taken while the server runs, and what cannot be used is not.
import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import { ConfigError } from '../config-error.ts'
import type { Component } from '../health.ts'
import { PairError, readPair, worryOf, type Pair, type TlsFiles } from './pair.ts'

/** Looking is two system calls. Being told instead would not do: of a folder that is a link, and of what is mounted, nothing is told. */
const LOOK_MS = 5000

interface Parts {
  readonly files: TlsFiles
  readonly logger: Logger
  readonly now?: () => Date
}

export class KeptPair {
  readonly #files: TlsFiles
  readonly #logger: Logger
  readonly #now: () => Date
  #seen: string
  #pair: Pair
  /** Why what lies in the files now is not used, or null. */
  #trouble: string | null = null

  /** A server does not begin with a pair that cannot be used. */
  constructor({ files, logger, now = () => new Date() }: Parts) {
    this.#files = files
    this.#logger = logger
    this.#now = now
    this.#seen = seenOf(files)
    this.#pair = firstPair(files)
    this.#tell('the certificate is in use')
  }

  get pair(): Pair {
    return this.#pair
  }

  /** Looks every few seconds until the function that is given back is called. `take` puts a new pair into use. */
  keep(take: (pair: Pair) => void): () => void {
    const timer = setInterval(() => this.look(take), LOOK_MS)
    return () => clearInterval(timer)
  }

  /** Files that could not be used are read again each time: they may be half-written, or one of them not there yet. */
  look(take: (pair: Pair) => void): void {
    const seen = seenOf(this.#files)
    if (seen === this.#seen && this.#trouble === null) return
    this.#seen = seen
    try {
      const pair = readPair(this.#files)
      take(pair)
      this.#pair = pair
      this.#trouble = null
      this.#tell('a new certificate is in use')
    } catch (failure) {
      this.#keepOld(failure instanceof PairError ? failure.message : String(failure))
    }
  }

  component(): Component {
    const { subject, valid_to } = this.#pair
    const worry =
      this.#trouble === null
        ? worryOf(this.#pair, this.#now())
        : `The files of the certificate have changed and cannot be used, so the one before serves on, until ${valid_to.toISOString()}. ${this.#trouble}`
    return {
      name: 'tls',
      status: worry === null ? 'ok' : 'degraded',
      detail: worry ?? `The certificate for ${subject} is good until ${valid_to.toISOString()}`,
    }
  }

  #keepOld(trouble: string): void {
    if (trouble !== this.#trouble)
      this.#logger.warn(
        { trouble, files: this.#files, valid_to: this.#pair.valid_to },
        'the new certificate cannot be used; the one before serves on',
      )
    this.#trouble = trouble
  }

  #tell(what: string): void {
    const { subject, valid_to } = this.#pair
    const worry = worryOf(this.#pair, this.#now())
    this.#logger[worry === null ? 'info' : 'warn']({ subject, valid_to, ...(worry === null ? {} : { worry }) }, what)
  }
}

const firstPair = (files: TlsFiles): Pair => {
  try {
    return readPair(files)
  } catch (failure) {
    if (failure instanceof PairError)
      throw new ConfigError([`PANEL_TLS_CERT=${files.cert}, PANEL_TLS_KEY=${files.key}: ${failure.message}`])
    throw failure
  }
}

/** Of the files that links lead to, so that a swapped link shows too. */
const seenOf = ({ cert, key }: TlsFiles): string => `${stateOf(cert)}; ${stateOf(key)}`

const stateOf = (path: string): string => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (failure) {
    return String((failure as NodeJS.ErrnoException).code)
  }
}
