// What a sentence links and offers, from its id, its parameters and what it is about; pure, for tests.
import type { Param } from '@panel/shared/messages/message.ts'
import type { ApiMessage } from '../../core/message.ts'
import { OBJECTS, REMEDIES, REQUESTS, type Ids, type PageRemedy, type Remedy, type RequestName } from './remedies.ts'

export type Offer =
  | { readonly page: PageRemedy['page']; readonly to: string }
  | { readonly request: RequestName; readonly id: number | null }

type Values = Readonly<Record<string, unknown>>

/** The page of what this part of a sentence names; null where it has none. */
export const pageOf = ({ message_id = '', params = {} }: ApiMessage): string | null =>
  fill((OBJECTS as Readonly<Record<string, string>>)[message_id], params)

/** The offers of a sentence and of those within it, each once. */
export const offersOf = (message: ApiMessage, about: Ids): Offer[] => {
  const found = new Map<string, Offer>()
  for (const part of partsOf(message)) {
    const offer = offerOf(part, { ...about, ...detailsOf(message), ...namedIn(part) })
    if (offer) found.set(JSON.stringify(offer), offer)
  }
  return [...found.values()]
}

const offerOf = ({ message_id = '', params }: ApiMessage, ids: Values): Offer | null => {
  const remedy = (REMEDIES as Readonly<Record<string, Remedy>>)[message_id]
  if (remedy === undefined) return null
  if ('page' in remedy) {
    const to = fill(remedy.to, { ...ids, ...params })
    return to === null ? null : { page: remedy.page, to }
  }
  const name = REQUESTS[remedy.request]
  if (name === null) return { request: remedy.request, id: null }
  const id = ids[name]
  return typeof id === 'number' ? { request: remedy.request, id } : null
}

/** Null where an id is missing. */
const fill = (path: string | undefined, values: Values): string | null => {
  const missing = path === undefined || [...path.matchAll(/\{(\w+)\}/g)].some(([, name = '']) => !isId(values[name]))
  return missing ? null : path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
}
const isId = (value: unknown): boolean => typeof value === 'number' || typeof value === 'string'

const partsOf = (message: ApiMessage): ApiMessage[] => [message, ...messagesIn(message.params).flatMap(partsOf)]

const messagesIn = (params: Readonly<Record<string, Param>> = {}): ApiMessage[] =>
  Object.values(params).flatMap((value) => (typeof value === 'object' ? [value].flat() : []))

/** What an error says beside its sentence. */
const detailsOf = (message: ApiMessage & { readonly details?: Values }): Values => message.details ?? {}

const ID_OF: Readonly<Record<string, keyof Ids>> = {
  'object.tunnel': 'tunnel_id',
  'object.rule': 'route_rule_id',
  'object.pool': 'pool_id',
}

const namedIn = ({ params = {} }: ApiMessage): Values => ({
  ...Object.fromEntries(
    messagesIn(params).flatMap(({ message_id = '', params: own }) =>
      ID_OF[message_id] && own ? [[ID_OF[message_id], own['id']]] : [],
    ),
  ),
  ...Object.fromEntries(Object.entries(params).filter(([, value]) => typeof value !== 'object')),
})
