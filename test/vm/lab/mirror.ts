// Finds the Debian mirror that this host's own apt uses, so that no host name stands in a file of ours.
import { readFile } from 'node:fs/promises'
import { host } from './host.ts'

export interface Mirror {
  readonly url: string
  /** Proxy variables as apt is configured, for programs that are not apt. */
  readonly env: Readonly<Record<string, string>>
}

/** `PANEL_LAB_MIRROR` wins, for hosts that are not Debian. */
export async function debianMirror(): Promise<Mirror> {
  const url = process.env['PANEL_LAB_MIRROR'] ?? (await mirrorOfApt())
  return { url, env: await proxies() }
}

// apt itself lists what it would fetch, whatever the format of its sources. Other archives may offer the same suite
// only Debian's own has the suite's "-updates" beside it.
async function mirrorOfApt(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8')
  const listed = await host('apt-get', ['update', '--print-uris'])
  const offers = [...listed.matchAll(/^'(\S+)\/dists\/(\S+?)\/(?:In)?Release'/gm)].map(([, url = '', name = '']) => ({
    url,
    name,
  }))
  const isWhole = ({ url, name }: { url: string; name: string }): boolean =>
    offers.some((other) => other.url === url && other.name === `${name}-updates`)
  const found = offers.find(isWhole)?.url
  if (/^ID=debian$/m.test(release) && found !== undefined) return found
  throw new Error("no Debian mirror in this host's apt sources: name one in PANEL_LAB_MIRROR")
}

async function proxies(): Promise<Record<string, string>> {
  const shell = await host('apt-config', [
    'shell',
    'http_proxy',
    'Acquire::http::Proxy',
    'https_proxy',
    'Acquire::https::Proxy',
  ])
  const set = [...shell.matchAll(/^(\w+)='(.*)'$/gm)].map(([, name = '', value = '']) => [name, value] as const)
  return Object.fromEntries(set.filter(([, value]) => value !== '' && value !== 'DIRECT'))
}
