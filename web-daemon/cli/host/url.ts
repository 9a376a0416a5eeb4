// The address to open in a browser, and where the panel is to listen.
import { existsSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import { readConfig, type Config } from '../../app/config.ts'
import { toBasePath } from '../../platform/http/prefix.ts'
import { CommandError } from '../errors.ts'
import { outputOfOwner } from '../owner.ts'
import { printError, printLine } from '../print.ts'
import { setOptions, theConfigurationFile, writeConfiguration } from './configuration.ts'
import { hostName, tryRestart, WEB_UNIT } from './programs.ts'
import { needsRoot } from './root.ts'

export const WITHOUT_TLS = '--without-tls'

/** The listener that the operator has kept, or else the configured one. A panel that was never started has kept nothing. */
export function showUrl(config: Config): void {
  needsRoot('url')
  const { listen_address, listen_port, tls, state_dir, web_path } = config
  const configured = `${listen_address} ${listen_port} ${tls ? 'https' : 'http'}`
  const listens = existsSync(state_dir) ? outputOfOwner(state_dir, ['listens']) : configured
  const [address = '', port = '', scheme = ''] = listens.trim().split(' ')
  const host = ['0.0.0.0', '::'].includes(address) ? hostName() : isIPv6(address) ? `[${address}]` : address
  printLine(`${scheme}://${host}:${port}${toBasePath(web_path)}/`)
  if (isLoopback(address))
    printLine(
      `It is reached from this host alone. From elsewhere: ssh -L ${port}:${host}:${port} root@${hostname()}, and open that address there.`,
    )
}

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

export function setListen(config: Config, args: readonly string[]): void {
  needsRoot('set-listen')
  const { address, port, isWithoutTls } = readPlace(args)
  const path = theConfigurationFile(process.env)
  if (!isLoopback(address) && !config.tls && !isWithoutTls)
    throw new CommandError(
      `Without TLS a password would cross the network in the clear. Set PANEL_TLS_CERT and PANEL_TLS_KEY in ${path} first, or say ${WITHOUT_TLS} where a proxy before the panel has it.`,
    )
  const { before, isChanged } = setOptions(path, {
    PANEL_LISTEN_ADDRESS: address,
    ...(port !== null && { PANEL_LISTEN_PORT: port }),
  })
  // A listener that was kept in the panel gives way to a new configuration, and here to what is configured already.
  if (!isChanged && existsSync(config.state_dir)) outputOfOwner(config.state_dir, ['forget-listener'])
  if (tryRestart(WEB_UNIT)) return showUrl(readConfig(process.env))
  writeConfiguration(path, before)
  if (!tryRestart(WEB_UNIT)) printError(`${WEB_UNIT} does not start with the configuration of before either.\n`)
  throw new CommandError(
    'The panel cannot listen there, so it listens where it did before. Why: journalctl -u tunnel-panel-web',
  )
}

function readPlace(args: readonly string[]): { address: string; port: string | null; isWithoutTls: boolean } {
  const [address = '', port = null, ...more] = args.filter((arg) => arg !== WITHOUT_TLS)
  const isPort = port === null || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
  if (isIP(address) === 0 || !isPort || more.length > 0)
    throw new CommandError(`set-listen takes an IP address, a port if wanted, and ${WITHOUT_TLS}.`, 2)
  return { address, port, isWithoutTls: args.includes(WITHOUT_TLS) }
}
