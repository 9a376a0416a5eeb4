// A sentence of the catalogue: what an answer carries of it, and how its text is made (shared/messages/README.md).
import { CATALOGUE } from './catalogue.ts'
import { LIMITS } from './limits.ts'
import { PANEL } from './panel.ts'
import { ROOT } from './root.ts'
import { TUNNEL } from './tunnel.ts'
import { madeOnce } from '../made-once.ts'
import { formatMessage, withOneStop } from './format.ts'

export type MessageId = keyof typeof CATALOGUE
/** "" for text that is no sentence of the panel. Named, so that a declaration refers to it and does not list every id. */
export type SentenceId = MessageId | ''

/** A part of a sentence may be a message of its own. */
export type Param = string | number | Message | readonly Message[]
export type Params = Readonly<Record<string, Param>>

/** Spread into an answer, it is the English sentence and, beside it, what another language makes of the same. */
export interface Message {
  readonly message: string
  readonly message_id: SentenceId
  readonly params: Params
}

/** Like `placeholderNames`: what stands in braces is a name unless it has blanks or forms in it. */
type Name<T extends string> = T extends `${string}${' ' | '#' | '{'}${string}` | '' ? never : T
type NameAt<T extends string> = T extends `${infer Inside}}${string}`
  ? Inside extends `${infer Before},${string}`
    ? Name<Before>
    : Name<Inside>
  : never
type NamesIn<T extends string> = T extends `${string}{${infer After}` ? NameAt<After> | NamesIn<After> : never
/** What a placeholder of this name holds is an object with a page: made by named.ts, so that the page can link it. */
type ObjectName = 'tunnel' | 'tunnels' | 'rule' | 'rules' | 'pool' | 'pools'
export type ParamsOf<I extends MessageId> = {
  readonly [N in NamesIn<(typeof CATALOGUE)[I]>]: N extends ObjectName ? Message | readonly Message[] : Param
}

const ENGLISH = { language: 'en', number: String, isolate: (text: string) => text }

export function message<I extends MessageId>(
  id: I,
  ...[params]: [NamesIn<(typeof CATALOGUE)[I]>] extends [never] ? [] : [params: ParamsOf<I>]
): Message {
  const given: Params = params ?? {}
  const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textOf(value)]))
  return { message: withOneStop(formatMessage(CATALOGUE[id], values, ENGLISH)), message_id: id, params: given }
}

/** Foreign text, such as the kernel's: it is shown unchanged in every language. */
export function verbatim(text: string): Message {
  return { message: withOneStop(text), message_id: '', params: {} }
}

/** A field of an answer that holds a sentence, with its twin beside it (`sentence` in shared/api/base/errors.ts). */
export function messageFields<F extends string>(
  field: F,
  sentence: Message,
): Record<F, string> & Record<`${F}_message`, Message> {
  return { [field]: sentence.message, [`${field}_message`]: sentence } as Record<F, string> &
    Record<`${F}_message`, Message>
}

/** The lines to run that a sentence shows, as they are. */
export function commandsIn({ params }: Pick<Message, 'params'>): string[] {
  const { command } = params
  return typeof command === 'string' ? [command] : []
}

/** One after the other; what is null is left out. */
export function sentences(...all: readonly (Message | null)[]): Message {
  const [first, ...others] = all.filter((one) => one !== null)
  return others.reduce((text, one) => message('panel.sentences', { first: text, second: one }), first ?? verbatim(''))
}

/** What root says, and what it says in the words of the panel. A phrase comes before those that could be it, too. */
export const PHRASES = {
  'panel.check_differs': PANEL['panel.check_differs'],
  'tunnel.kept_own': TUNNEL['tunnel.kept_own'],
  'tunnel.kept_gateway': TUNNEL['tunnel.kept_gateway'],
  'tunnel.kept_resolver': TUNNEL['tunnel.kept_resolver'],
  'tunnel.kept_client': TUNNEL['tunnel.kept_client'],
  'tunnel.name_of_kernel': TUNNEL['tunnel.name_of_kernel'],
  'tunnel.name_means_all': TUNNEL['tunnel.name_means_all'],
  'tunnel.name_of_card': TUNNEL['tunnel.name_of_card'],
  'tunnel.address_of_nobody': TUNNEL['tunnel.address_of_nobody'],
  'tunnel.address_loopback': TUNNEL['tunnel.address_loopback'],
  'tunnel.address_link_local': TUNNEL['tunnel.address_link_local'],
  'tunnel.address_mapped': TUNNEL['tunnel.address_mapped'],
  'tunnel.network_too_wide': TUNNEL['tunnel.network_too_wide'],
  'tunnel.network_special': TUNNEL['tunnel.network_special'],
  ...LIMITS,
  ...ROOT,
} as const
type PhraseId = keyof typeof PHRASES
/** They could be anything, unless a part of them is a phrase. */
const OF_PARTS: readonly PhraseId[] = ['root.both', 'root.of_something']

/** What stands in braces where it cannot be any text. An error may itself have colons in it. */
const SHAPES: Readonly<Record<string, string>> = {
  address: '[\\da-f.:]+',
  count: '\\d+',
  error: '.+',
  file: '\\S+',
  kind: '\\S+',
  name: '\\S+',
  number: '\\d+',
  size: '\\d+',
  subject: '\\S+',
  time: '\\d+',
}

/** A phrase of the helper as it is recognized. A text that does not begin as it does is not worth the expression. */
const RECOGNIZED = Object.entries(PHRASES).map(([id, phrase]) => {
  const parts = phrase
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 ? `(?<${part}>${SHAPES[part] ?? '.+?'})` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return {
    id: id as PhraseId,
    beginning: phrase.slice(0, /\{|$/.exec(phrase)?.index),
    whole: new RegExp(`^${parts.join('')}$`),
  }
})

const fromTexts = madeOnce<Message>()

/**
 * The message for a text of the root helper or the kernel: one with an id if it is a known phrase of the helper. A
 * thousand tunnels that fail say the same thousand sentences at every probe.
 */
export const fromRoot = (text: string): Message =>
  text === '' ? verbatim(text) : fromTexts(text, [], () => recognized(text))

function recognized(text: string): Message {
  for (const { id, beginning, whole } of RECOGNIZED) {
    const found = text.startsWith(beginning) ? whole.exec(text) : null
    if (!found) continue
    const params = known(found.groups ?? {})
    if (!OF_PARTS.includes(id) || Object.values(params).some((part) => typeof part === 'object'))
      return { ...verbatim(text), message_id: id, params }
  }
  return verbatim(text)
}

/** A phrase can stand in another. */
const known = (groups: Readonly<Record<string, string>>): Params =>
  Object.fromEntries(
    Object.entries(groups).map(([name, text]) => {
      const sentence = fromRoot(text)
      return [name, sentence.message_id === '' ? text : sentence]
    }),
  )

export type Reference = Pick<Message, 'message_id' | 'params'>

/** The reference in the form of an answer that has the English text under a name of its own. */
export function reference({ message_id, params }: Reference): Reference {
  return { message_id, params }
}

const textOf = (value: Param): string | number =>
  typeof value === 'object'
    ? [value]
        .flat()
        .map((part) => part.message)
        .join(', ')
    : value
