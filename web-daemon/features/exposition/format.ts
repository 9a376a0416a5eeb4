// The text that Prometheus reads: OpenMetrics 1.0, or the older format 0.0.4 for clients that do not know it. Pure.

export type FamilyType = 'counter' | 'gauge' | 'info' | 'histogram'
export type Format = 'openmetrics' | 'text'

/** The labels of a sample, made by `labels`: made once, they serve several families. "" is none. */
export type LabelText = string

/** `name` without what the type adds to it: `_total`, `_info`, `_bucket`. */
export interface Family {
  readonly name: string
  readonly type: FamilyType
  readonly help: string
  readonly samples: Iterable<Sample>
}

/** `suffix` of a histogram's own samples only. */
export interface Sample {
  readonly labels: LabelText
  readonly value: number
  readonly suffix?: '_bucket' | '_sum' | '_count'
}

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  text: 'text/plain; version=0.0.4; charset=utf-8',
}

const SUFFIXES: Readonly<Record<FamilyType, string>> = { counter: '_total', gauge: '', info: '_info', histogram: '' }

export const gauge = (name: string, help: string, samples: Iterable<Sample>): Family => ({
  name: `tunnel_panel_${name}`,
  type: 'gauge',
  help,
  samples,
})

/** A family without samples is left out: its lines would say nothing. */
export function exposition(families: readonly Family[], format: Format): string {
  const parts = families.map((family) => lines(family, format)).filter((text) => text !== '')
  return parts.join('') + (format === 'openmetrics' ? '# EOF\n' : '')
}

function lines({ name, type, help, samples }: Family, format: Format): string {
  const full = name + SUFFIXES[type]
  let text = ''
  for (const { labels, value, suffix = '' } of samples) text += `${full}${suffix}${labels} ${number(value)}\n`
  if (text === '') return ''
  const family = format === 'openmetrics' ? name : full
  return `# HELP ${family} ${help}\n# TYPE ${family} ${typeName(type, format)}\n${text}`
}

/** The older format knows no info. */
const typeName = (type: FamilyType, format: Format): string => (type === 'info' && format === 'text' ? 'gauge' : type)

const number = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'

/** In the order given. */
export function labels(pairs: Readonly<Record<string, string | number>>): LabelText {
  const texts = Object.entries(pairs).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
  return texts.length === 0 ? '' : `{${texts.join(',')}}`
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }
const escapeLabel = (text: string): string => text.replace(/[\\\n"]/g, (char) => ESCAPED[char] ?? char)

/**
 * The format that an Accept header prefers. Wildcards mean a person at a terminal, who can read either: they get the
 * older one.
 */
export function formatFor(accept: string): Format {
  const wanted = (type: string): number => Math.max(0, ...accept.split(',').map((range) => quality(range, type)))
  const openmetrics = wanted('application/openmetrics-text')
  return openmetrics > 0 && openmetrics >= wanted('text/plain') ? 'openmetrics' : 'text'
}

function quality(range: string, type: string): number {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  if (name !== type) return 0
  const isOther = type.endsWith('openmetrics-text') && parameters.some((one) => /^version=(?!1\.0\.0$)/.test(one))
  if (isOther) return 0
  const q = parameters.find((one) => one.startsWith('q='))
  return q === undefined ? 1 : Number(q.slice(2)) || 0
}
