// Watches the certificate's files: a new pair is used while the server runs, an unusable one is not.
import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import { message, verbatim, type Message } from '@panel/shared/messages/message.ts'
import { ConfigError } from '../config-error.ts'
import type { Component, HostIncident } from '../health.ts'
import {
  certificateIncident,
  CertificateError,
  readCertificatePair,
  certificateWarning,
  type CertificatePair,
  type TlsFiles,
} from './certificate.ts'

/** Polling is two system calls. File notifications would miss symbolic links to folders and mounts. */
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
  /** Why the current files are not used, or null. */
  #trouble: Message | null = null

  /** Throws if the pair cannot be used: the server does not start without one. */
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

  /** Checks every few seconds until the returned function is called. `take` puts a new pair into use. */
  watch(take: (pair: CertificatePair) => void): () => void {
    const timer = setInterval(() => this.check(take), CHECK_MS)
    return () => clearInterval(timer)
  }

  /** Unusable files are read again each time: they may be incomplete, or one of them still missing. */
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
      this.#rejectNew(failure instanceof CertificateError ? failure.sentence : verbatim(String(failure)))
    }
  }

  component(): Component {
    const { subject, valid_to } = this.#pair
    const warning = this.#warning()
    return {
      name: 'tls',
      status: warning === null ? 'ok' : 'degraded',
      detail: warning ?? message('component.certificate', { subject, until: valid_to.toISOString() }),
    }
  }

  incident(): HostIncident | null {
    const sentence = this.#warning()
    return sentence && certificateIncident(this.#pair, sentence, this.#now())
  }

  #warning(): Message | null {
    if (this.#trouble === null) return certificateWarning(this.#pair, this.#now())
    const at = this.#pair.valid_to.toISOString()
    return message('attention.certificate_unusable', { at, detail: this.#trouble })
  }

  #rejectNew(trouble: Message): void {
    if (trouble.message !== this.#trouble?.message)
      this.#logger.warn(
        { trouble: trouble.message, files: this.#files, valid_to: this.#pair.valid_to },
        'the new certificate cannot be used; the previous one stays in use',
      )
    this.#trouble = trouble
  }

  #log(what: string): void {
    const { subject, valid_to } = this.#pair
    const warning = certificateWarning(this.#pair, this.#now())
    this.#logger[warning === null ? 'info' : 'warn'](
      { subject, valid_to, ...(warning === null ? {} : { warning: warning.message }) },
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

/** The state of the files behind symbolic links, so that a changed link is noticed. */
const readFileState = ({ cert, key }: TlsFiles): string => `${statFile(cert)}; ${statFile(key)}`

const statFile = (path: string): string => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (failure) {
    return String((failure as NodeJS.ErrnoException).code)
  }
}
