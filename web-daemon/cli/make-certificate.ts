// Makes a self-signed certificate for a panel without a better one, and prints the lines for its configuration. The
// daemon never makes one.
import { makeSelfSigned, SelfSignedError } from '../platform/tls/self-signed.ts'
import type { Config } from '../app/config.ts'
import { CommandError } from './errors.ts'
import { printLine, printText } from './print.ts'

export async function makeCertificate({ state_dir }: Config, names: readonly string[]): Promise<void> {
  const { cert, key, fingerprint, valid_to } = explainFailure(() => makeSelfSigned(state_dir, names))
  printText(`PANEL_TLS_CERT=${cert}\nPANEL_TLS_KEY=${key}\n\n`)
  printLine(
    `Add these two lines to the panel's configuration. The certificate expires on ${valid_to.toISOString()}; renew it before.`,
  )
  printLine(`SHA-256 fingerprint, as browsers show it: ${fingerprint}`)
}

const explainFailure = <T>(work: () => T): T => {
  try {
    return work()
  } catch (failure) {
    throw failure instanceof SelfSignedError ? new CommandError(failure.message) : failure
  }
}
