// Keeps a server's certificate that of its files: what replaces them is taken while the server runs, and what cannot be used is not.
import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import { ConfigError } from '../config-error.ts'
import type { Component } from '../health.ts'
import {
  CertificateError,
  readCertificatePair,
  certificateWarning,
  type CertificatePair,
  type TlsFiles,
} from './certificate.ts'

/** Looking is two system calls. Being told instead would not do: of a folder that is a link, and of what is mounted, nothing is told. */
const CHECK_MS = 5000

interface CertificateWatcherDeps {
  readonly files: TlsFiles
  readonly logger: Logger
  readonly now?: () => Date
}

export class CertificateWatcher {
  readonly #files: TlsFiles
  readonly #logger: Logger
  readonly #now: () => Date
  #fileState: string
  #pair: CertificatePair
  /** Why what lies in the files now is not used, or null. */
  #trouble: string | null = null

  /** A server does not begin with a pair that cannot be used. */
  constructor({ files, logger, now = () => new Date() }: CertificateWatcherDeps) {
    this.#files = files
    this.#logger = logger
    this.#now = now
    this.#fileState = readFileState(files)
    this.#pair = firstPair(files)
    this.#log('the certificate is in use')
  }

  get pair(): CertificatePair {
    return this.#pair
  }

  /** Looks every few seconds until the function that is given back is called. `take` puts a new pair into use. */
  watch(take: (pair: CertificatePair) => void): () => void {
    const timer = setInterval(() => this.check(take), CHECK_MS)
    return () => clearInterval(timer)
  }

  /** Files that could not be used are read again each time: they may be half-written, or one of them not there yet. */
  check(take: (pair: CertificatePair) => void): void {
    const fileState = readFileState(this.#files)
    if (fileState === this.#fileState && this.#trouble === null) return
    this.#fileState = fileState
    try {
      const pair = readCertificatePair(this.#files)
      take(pair)
      this.#pair = pair
      this.#trouble = null
      this.#log('a new certificate is in use')
    } catch (failure) {
      this.#keepOld(failure instanceof CertificateError ? failure.message : String(failure))
    }
  }

  component(): Component {
    const { subject, valid_to } = this.#pair
    const warning =
      this.#trouble === null
        ? certificateWarning(this.#pair, this.#now())
        : `The files of the certificate have changed and cannot be used, so the one before serves on, until ${valid_to.toISOString()}. ${this.#trouble}`
    return {
      name: 'tls',
      status: warning === null ? 'ok' : 'degraded',
      detail: warning ?? `The certificate for ${subject} is good until ${valid_to.toISOString()}`,
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

  #log(what: string): void {
    const { subject, valid_to } = this.#pair
    const warning = certificateWarning(this.#pair, this.#now())
    this.#logger[warning === null ? 'info' : 'warn'](
      { subject, valid_to, ...(warning === null ? {} : { worry: warning }) },
      what,
    )
  }
}

const firstPair = (files: TlsFiles): CertificatePair => {
  try {
    return readCertificatePair(files)
  } catch (failure) {
    if (failure instanceof CertificateError)
      throw new ConfigError([`PANEL_TLS_CERT=${files.cert}, PANEL_TLS_KEY=${files.key}: ${failure.message}`])
    throw failure
  }
}

/** Of the files that links lead to, so that a swapped link shows too. */
const readFileState = ({ cert, key }: TlsFiles): string => `${stateOf(cert)}; ${stateOf(key)}`

const stateOf = (path: string): string => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (failure) {
    return String((failure as NodeJS.ErrnoException).code)
  }
}
