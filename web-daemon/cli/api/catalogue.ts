// The commands over the API, made from the endpoints: tunnel-panel <noun> <verb> [ID] [--field value].
import type { Endpoint } from '../../platform/http/endpoint.ts'
import { scopesOf } from '../../platform/http/scopes.ts'

export interface ApiCommand {
  readonly noun: string
  readonly verb: string
  readonly route: string
  readonly summary: string
}

const PLAIN: Readonly<Record<string, string>> = { GET: 'list', POST: 'create', PUT: 'update', DELETE: 'delete' }
const OF_ONE: Readonly<Record<string, string>> = { GET: 'show', PATCH: 'update', PUT: 'update', DELETE: 'delete' }
const OF_PART: Readonly<Record<string, string>> = { GET: '', POST: '-add', PUT: '-update', DELETE: '-remove' }

/** It is a command of its own, which works without a daemon (cli/list.ts). */
const SAFE_APPLY = ' /safe-apply'

/** Those that an API token opens, but for streams, which do not end. */
export function openEndpoints(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter((one) => one.kind !== 'stream' && scopesOf(one).length > 0 && !one.route.includes(SAFE_APPLY))
}

export function apiCommands(endpoints: readonly Endpoint[]): ApiCommand[] {
  const open = openEndpoints(endpoints)
  const paths = open.map(({ route }) => route.slice(route.indexOf(' ')))
  return open.map(({ route, summary = '' }) => {
    const [method = '', path = ''] = route.split(' ')
    const [noun = '', ...rest] = path.slice(1).split('/')
    const isShared = paths.filter((one) => one === ` ${path}`).length > 1 || rest.at(-1) === '{id}'
    const isTwice = rest.length > 1 && !path.includes('{id}') && paths.includes(` /${noun}/{id}/${rest.join('/')}`)
    return { noun, verb: `${verbOf(method, rest, isShared)}${isTwice ? '-any' : ''}`, route, summary }
  })
}

function verbOf(method: string, rest: readonly string[], isShared: boolean): string {
  if (rest.length === 0) return PLAIN[method] ?? method.toLowerCase()
  if (rest.length === 1 && rest[0] === '{id}') return OF_ONE[method] ?? method.toLowerCase()
  const words = rest.filter((word) => !word.startsWith('{')).join('-')
  if (!isShared) return words
  return method === 'GET' && rest.at(-1) === '{id}' ? `${words}-show` : `${words}${OF_PART[method] ?? ''}`
}
