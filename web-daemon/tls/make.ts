// The program that makes a self-signed pair: make <folder> <name> [<name> ...]. Run it by hand; the daemon never makes one.
import { SelfSignedError, makeSelfSigned } from './self-signed.ts'

const [folder = '', ...names] = process.argv.slice(2)
try {
  if (folder === '') throw new SelfSignedError('Write: <folder> <host name or IP address> [...]')
  const { cert, key, fingerprint, valid_to } = makeSelfSigned(folder, names)
  process.stdout.write(`PANEL_TLS_CERT=${cert}\nPANEL_TLS_KEY=${key}\n\nThe two lines above go into the panel's configuration. The certificate is good until ${valid_to.toISOString()}; make another before that.\nIts SHA-256 fingerprint, which a browser shows too: ${fingerprint}\n`)
} catch (failure) {
  const isPlain = failure instanceof SelfSignedError || (failure instanceof Error && 'code' in failure)
  if (!isPlain) throw failure
  process.stderr.write(`${failure.message}\n`)
  process.exitCode = 1
}
