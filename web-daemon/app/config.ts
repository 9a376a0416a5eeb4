// The options that an operator can set, read from the environment or a file. All errors are reported at once.
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../platform/config-error.ts'
import type { TlsFiles } from '../platform/tls/certificate.ts'

export interface Config {
  readonly listen_address: string
  readonly listen_port: number
  /** Without slashes; "" serves at the root. */
  readonly web_path: string
  readonly state_dir: string
  /** Encrypted backups are written there. */
  readonly backup_dir: string
  readonly helper_socket: string
  /** What the helper keeps; for the command that sets a file of it aside. */
  readonly helper_state_dir: string
  /** What root allows; for the command that adds to it. */
  readonly limits_file: string
  readonly page_dir: string
  /** Null serves plain HTTP. */
  readonly tls: TlsFiles | null
  /** Addresses and networks whose X-Forwarded-Proto is believed. */
  readonly trusted_proxies: readonly string[]
  /** Names by which browsers reach the panel, beside those of this host. */
  readonly host_names: readonly string[]
}

const DEFAULT_LIMITS_FILE = '/etc/tunnel-panel/limits.conf'

type Values = Readonly<Record<string, string | undefined>>

const RESERVED_WEB_PATHS = ['api', 'assets']

/** The environment wins over the file that PANEL_CONFIG_FILE names. */
export function readConfig(environment: Values): Config {
  const problems: string[] = []
  const values = { ...fromFile(environment['PANEL_CONFIG_FILE'], problems), ...given(environment) }
  const setting = (name: string, standard: string): string => values[name] ?? standard
  const state_dir = absolute('PANEL_STATE_DIR', setting('PANEL_STATE_DIR', '/var/lib/tunnel-panel'), problems)
  const config: Config = {
    listen_address: address(setting('PANEL_LISTEN_ADDRESS', '127.0.0.1'), problems),
    listen_port: port(setting('PANEL_LISTEN_PORT', '8480'), problems),
    web_path: webPath(setting('PANEL_WEB_PATH', ''), problems),
    state_dir,
    backup_dir: absolute('PANEL_BACKUP_DIR', setting('PANEL_BACKUP_DIR', join(state_dir, 'backups')), problems),
    helper_socket: absolute(
      'PANEL_HELPER_SOCKET',
      setting('PANEL_HELPER_SOCKET', '/run/tunnel-panel/helper.sock'),
      problems,
    ),
    helper_state_dir: absolute(
      'PANEL_HELPER_STATE_DIR',
      setting('PANEL_HELPER_STATE_DIR', '/var/lib/tunnel-panel-helper'),
      problems,
    ),
    limits_file: absolute('PANEL_LIMITS_FILE', setting('PANEL_LIMITS_FILE', DEFAULT_LIMITS_FILE), problems),
    page_dir: absolute('PANEL_PAGE_DIR', setting('PANEL_PAGE_DIR', shippedPage()), problems),
    tls: tlsFiles(setting('PANEL_TLS_CERT', ''), setting('PANEL_TLS_KEY', ''), problems),
    trusted_proxies: proxies(setting('PANEL_TRUSTED_PROXIES', ''), problems),
    host_names: hostNames(setting('PANEL_HOST_NAMES', ''), problems),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** In a bundle the page is beside this file, in the sources beside its workspace. */
const shippedPage = (): string => {
  const [beside, above] = ['./ui', '../../ui'].map((path) => fileURLToPath(new URL(path, import.meta.url))) as [
    string,
    string,
  ]
  return existsSync(beside) ? beside : above
}

const given = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => name.startsWith('PANEL_') && value !== undefined))

const fromFile = (path: string | undefined, problems: string[]): Values => {
  if (path === undefined || path === '') return {}
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (failure) {
    problems.push(
      `PANEL_CONFIG_FILE: ${path} cannot be read (${(failure as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    )
  }
  const lines = text.split('\n').map((line, at) => ({ line: line.trim(), at: at + 1 }))
  return Object.fromEntries(
    lines
      .filter(({ line }) => line !== '' && !line.startsWith('#'))
      .map(({ line, at }) => assignment(path, line, at, problems)),
  )
}

const OWN = [
  'PANEL_LISTEN_ADDRESS',
  'PANEL_LISTEN_PORT',
  'PANEL_WEB_PATH',
  'PANEL_STATE_DIR',
  'PANEL_BACKUP_DIR',
  'PANEL_HELPER_SOCKET',
  'PANEL_PAGE_DIR',
  'PANEL_TLS_CERT',
  'PANEL_TLS_KEY',
  'PANEL_TRUSTED_PROXIES',
  'PANEL_HOST_NAMES',
]
/** Read by the root helper, which may share the file. */
const OF_THE_HELPER = [
  'PANEL_HELPER_GROUP',
  'PANEL_UNIT_DIR',
  'PANEL_NETWORKD_DIR',
  'PANEL_SYSCTL_DIR',
  'PANEL_HELPER_STATE_DIR',
  'PANEL_RULE_BACKEND',
  'PANEL_LIMITS_FILE',
]

const assignment = (path: string, line: string, at: number, problems: string[]): [string, string] => {
  const [, name = '', value = ''] = /^([A-Z_]+)\s*=\s*(.*)$/.exec(line) ?? []
  if (name === '') problems.push(`${path}, line ${at}: write NAME=value`)
  else if (![...OWN, ...OF_THE_HELPER].includes(name))
    problems.push(`${path}, line ${at}: there is no option ${name}; there are ${OWN.join(', ')}`)
  return [name, value.replace(/^(["'])(.*)\1$/, '$2')]
}

const address = (text: string, problems: string[]): string => {
  if (isIP(text) === 0)
    problems.push(
      `PANEL_LISTEN_ADDRESS: "${text}" is not an IP address; write one of this host, such as 127.0.0.1, or 0.0.0.0 for all`,
    )
  return text
}

const port = (text: string, problems: string[]): number => {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (number < 0 || number > 65535)
    problems.push(`PANEL_LISTEN_PORT: "${text}" is not a port; write a number from 1 to 65535, or 0 for any free one`)
  return number
}

/** decisions.md, W16. */
const webPath = (text: string, problems: string[]): string => {
  const trimmed = text.replace(/^\/+|\/+$/g, '')
  if (!/^[A-Za-z0-9._~-]{0,64}$/.test(trimmed) || trimmed === '.' || trimmed === '..') {
    problems.push(
      `PANEL_WEB_PATH: "${text}" cannot be a web path; write one segment of at most 64 letters, digits and . _ ~ -, or nothing`,
    )
  } else if (RESERVED_WEB_PATHS.includes(trimmed)) {
    problems.push(`PANEL_WEB_PATH: "${text}" is taken by the panel itself; write another word`)
  }
  return trimmed
}

const absolute = (name: string, path: string, problems: string[]): string => {
  if (!isAbsolute(path)) problems.push(`${name}: "${path}" is not an absolute path; begin it with /`)
  return path
}

const tlsFiles = (cert: string, key: string, problems: string[]): TlsFiles | null => {
  if (cert === '' && key === '') return null
  if (cert === '') problems.push('PANEL_TLS_CERT is missing: PANEL_TLS_KEY is set, and each needs the other')
  else if (key === '') problems.push('PANEL_TLS_KEY is missing: PANEL_TLS_CERT is set, and each needs the other')
  else return { cert: absolute('PANEL_TLS_CERT', cert, problems), key: absolute('PANEL_TLS_KEY', key, problems) }
  return null
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

const hostNames = (text: string, problems: string[]): string[] => {
  const names = words(text)
  const wrong = names.filter((name) => !/^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/.test(name))
  if (wrong.length > 0)
    problems.push(
      `PANEL_HOST_NAMES: ${wrong.map((name) => `"${name}"`).join(', ')}: write names such as panel.example.net, without port or path, with commas between them`,
    )
  return names
}

const proxies = (text: string, problems: string[]): string[] => {
  const given = words(text)
  const wrong = given.filter((word) => !isAddressOrNetwork(word))
  if (wrong.length > 0)
    problems.push(
      `PANEL_TRUSTED_PROXIES: ${wrong.map((word) => `"${word}"`).join(', ')}: write IP addresses or networks such as 127.0.0.1 or 10.0.0.0/24, with commas between them`,
    )
  return given
}

const isAddressOrNetwork = (word: string): boolean => {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(word) ?? []
  const version = isIP(address)
  return version !== 0 && (length === undefined || Number(length) <= (version === 4 ? 32 : 128))
}
