// tunnel-panel make-certificate: a self-signed certificate for a panel without a better one. The daemon never makes one.
import { readConfig, type Config } from '../../app/config.ts'
import { makeSelfSigned, SelfSignedError } from '../../platform/tls/self-signed.ts'
import { CommandError } from '../errors.ts'
import { becomeOwner, outputOfOwner } from '../owner.ts'
import { printLine, printText } from '../print.ts'
import { configurationFile, setOptions } from './configuration.ts'
import { restartUnit, WEB_UNIT } from './programs.ts'
import { isRoot } from './root.ts'
import { showUrl } from './url.ts'

interface Made {
  readonly cert: string
  readonly key: string
  readonly fingerprint: string
  readonly valid_to: string
}

/** Root also writes it into the configuration, and has the daemon use it. */
export function makeCertificate(config: Config, names: readonly string[]): void {
  const path = isRoot() ? configurationFile(process.env) : null
  if (path === null) {
    becomeOwner(config.state_dir)
    const { cert, key, ...more } = make(config, names)
    printText(`PANEL_TLS_CERT=${cert}\nPANEL_TLS_KEY=${key}\n\n`)
    printLine("Add these two lines to the panel's configuration.")
    return describe(more)
  }
  const { cert, key, ...more } = JSON.parse(outputOfOwner(config.state_dir, ['certificate', ...names])) as Made
  setOptions(path, { PANEL_TLS_CERT: cert, PANEL_TLS_KEY: key })
  printLine(`The certificate ${cert} and its key are in ${path} now.`)
  describe(more)
  restartUnit(WEB_UNIT)
  showUrl(readConfig(process.env))
}

function describe({ fingerprint, valid_to }: Pick<Made, 'fingerprint' | 'valid_to'>): void {
  printLine(`It expires on ${valid_to}; renew it before.`)
  printLine(`SHA-256 fingerprint, as browsers show it: ${fingerprint}`)
}

/** Runs as the owner, for root. */
export function printCertificate(config: Config, names: readonly string[]): void {
  printText(JSON.stringify(make(config, names)))
}

function make({ state_dir }: Config, names: readonly string[]): Made {
  try {
    const { valid_to, ...more } = makeSelfSigned(state_dir, names)
    return { ...more, valid_to: valid_to.toISOString() }
  } catch (failure) {
    throw failure instanceof SelfSignedError ? new CommandError(failure.message) : failure
  }
}
