// Makes a self-signed certificate for a panel without a better one, and prints the lines for its configuration. The
// daemon never makes one.
import { makeSelfSigned, SelfSignedError } from '../platform/tls/self-signed.ts'
import type { Config } from '../app/config.ts'
import { CommandError } from './errors.ts'
import { printLine } from './print.ts'

export const makeCertificate = async ({ state_dir }: Config, names: readonly string[]): Promise<void> => {
  const { cert, key, fingerprint, valid_to } = explainFailure(() => makeSelfSigned(state_dir, names))
  printLine(`PANEL_TLS_CERT=${cert}\nPANEL_TLS_KEY=${key}\n`)
  printLine(
    `These two lines belong into the panel's configuration. The certificate is good until ${valid_to.toISOString()}; make another before that.`,
  )
  printLine(`Its SHA-256 fingerprint, which a browser shows too: ${fingerprint}`)
}

const explainFailure = <T>(work: () => T): T => {
  try {
    return work()
  } catch (failure) {
    throw failure instanceof SelfSignedError ? new CommandError(failure.message) : failure
  }
}
