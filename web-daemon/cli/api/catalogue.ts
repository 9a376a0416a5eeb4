// The commands over the API, made from the endpoints: tunnel-panel <noun> <verb> [ID] [--field value].
import type { TSchema } from '@panel/shared/schema.ts'
import type { Endpoint } from '../../platform/http/endpoint.ts'
import { scopesOf } from '../../platform/http/scopes.ts'

export interface ApiCommand {
  readonly noun: string
  readonly verb: string
  readonly route: string
  readonly summary: string
  readonly query: readonly string[]
  /** The fields of the body, with the JSON type; those that are secret go by --data alone. */
  readonly fields: Readonly<Record<string, string>>
}

const PLAIN: Readonly<Record<string, string>> = { GET: 'list', POST: 'create', PUT: 'update', DELETE: 'delete' }
const OF_ONE: Readonly<Record<string, string>> = { GET: 'show', PATCH: 'update', PUT: 'update', DELETE: 'delete' }
const OF_PART: Readonly<Record<string, string>> = { GET: '', POST: '-add', PUT: '-update', DELETE: '-remove' }

/** Those that an API token opens, but for streams, which do not end. */
export function apiCommands(endpoints: readonly Endpoint[]): ApiCommand[] {
  const open = endpoints.filter((endpoint) => endpoint.kind !== 'stream' && scopesOf(endpoint).length > 0)
  const paths = open.map(({ route }) => route.slice(route.indexOf(' ')))
  return open.map((endpoint) => {
    const [method = '', path = ''] = endpoint.route.split(' ')
    const [noun = '', ...rest] = path.slice(1).split('/')
    const isShared = paths.filter((one) => one === ` ${path}`).length > 1 || rest.at(-1) === '{id}'
    const isTwice = rest.length > 1 && !path.includes('{id}') && paths.includes(` /${noun}/{id}/${rest.join('/')}`)
    return {
      noun,
      verb: `${verbOf(method, rest, isShared)}${isTwice ? '-any' : ''}`,
      route: endpoint.route,
      summary: endpoint.summary ?? '',
      query: Object.keys(endpoint.query?.properties ?? {}),
      fields: fieldsOf(endpoint.body),
    }
  })
}

function verbOf(method: string, rest: readonly string[], isShared: boolean): string {
  if (rest.length === 0) return PLAIN[method] ?? method.toLowerCase()
  if (rest.length === 1 && rest[0] === '{id}') return OF_ONE[method] ?? method.toLowerCase()
  const words = rest.filter((word) => word !== '{id}').join('-')
  if (!isShared) return words
  return method === 'GET' && rest.at(-1) === '{id}' ? `${words}-show` : `${words}${OF_PART[method] ?? ''}`
}

const fieldsOf = (body: TSchema | undefined): ApiCommand['fields'] =>
  Object.fromEntries(
    Object.entries((body?.['properties'] ?? {}) as Record<string, TSchema>).map(([name, schema]) => [
      name,
      schema['x-secret'] === true ? 'secret' : typeof schema['type'] === 'string' ? schema['type'] : 'any',
    ]),
  )
