// Shows the health of the panel, requested over HTTP as a browser does.
import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { isIPv6 } from 'node:net'
import type { Config } from '../app/config.ts'
import { basePathOf } from '../platform/http/prefix.ts'
import { CommandError } from './errors.ts'
import { printLine } from './print.ts'

const ANSWER_WITHIN_MS = 15_000

export async function showHealth(config: Config): Promise<void> {
  const { status, components } = JSON.parse(await bodyOf(`${urlOf(config)}api/v1/system/health`)) as {
    status: string
    components: { name: string; status: string; detail?: string }[]
  }
  printLine(`Health of the panel: ${status}`)
  for (const { name, status: state, detail = '' } of components)
    printLine(`  ${name.padEnd(14)} ${state.padEnd(9)} ${detail}`)
  if (status === 'error')
    throw new CommandError('A component has failed. See journalctl -u tunnel-panel-web -u tunnel-panel-helper')
}

/** The address of the daemon as seen from this host. */
export function urlOf({ listen_address, listen_port, web_path, tls }: Config): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[listen_address] ?? listen_address
  return `${tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${listen_port}${basePathOf(web_path)}/`
}

/** The certificate need not be valid for the address that is used here. */
const bodyOf = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? overHttps : overHttp
    const sent = request(url, { timeout: ANSWER_WITHIN_MS, rejectUnauthorized: false }, (answer) => {
      let text = ''
      answer
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .once('end', () => resolve(text))
    })
    sent.once('timeout', () => sent.destroy(new CommandError(`no answer within ${ANSWER_WITHIN_MS / 1000} s`)))
    sent.once('error', (failure: NodeJS.ErrnoException) =>
      reject(
        new CommandError(
          `The panel does not answer at ${url} (${failure.code ?? failure.message}): is tunnel-panel-web running?`,
        ),
      ),
    )
    sent.end()
  })
