// The health of the panel, requested over HTTP as a browser does.
import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import type { Config } from '../app/config.ts'
import { KeyUnusableError, readSigningKey } from '../features/auth/key.ts'
import { LOCAL_PROOF_COOKIE, localProof } from '../features/auth/local-proof.ts'
import { toBasePath } from '../platform/http/prefix.ts'
import { CommandError } from './errors.ts'
import { waysIn, type Way } from './listeners.ts'

const ANSWER_WITHIN_MS = 15_000

export async function readHealth(config: Config): Promise<HealthAnswer> {
  const urls = (await waysIn(config)).map((way) => `${wayUrl(way, config)}api/v1/system/health`)
  return JSON.parse(await fetchFirst(urls, proofOf(config))) as HealthAnswer
}

/** The address of the daemon as seen from this host. */
export function wayUrl({ address, port, is_tls }: Way, { web_path }: Config): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address
  return `${is_tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${port}${toBasePath(web_path)}/`
}

/** Fetches from the first address that answers. The configured listener replaces a kept one that cannot be opened. */
async function fetchFirst([url = '', ...others]: readonly string[], proof: string): Promise<string> {
  try {
    return await fetchBody(url, proof)
  } catch (failure) {
    if (others.length === 0) throw failure
    return fetchFirst(others, proof)
  }
}

/**
 * Shows the daemon that this caller may have the details, and nothing else to a program that answers in its place. Without a
 * key that can be used, "": there is no account yet, or health tells everybody what is wrong.
 */
const proofOf = ({ state_dir }: Config): string => {
  try {
    const key = readSigningKey(join(state_dir, 'session.key'))
    return key ? localProof(key, new Date()) : ''
  } catch (failure) {
    if (failure instanceof KeyUnusableError) return ''
    throw failure
  }
}

/** The certificate need not be valid for the address that is used here. */
const fetchBody = (url: string, proof: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? overHttps : overHttp
    const sent = request(
      url,
      { timeout: ANSWER_WITHIN_MS, rejectUnauthorized: false, headers: { Cookie: `${LOCAL_PROOF_COOKIE}=${proof}` } },
      (answer) => {
        let text = ''
        answer
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .once('end', () => resolve(text))
      },
    )
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
