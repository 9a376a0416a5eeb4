// Number, unit and date formats by the display settings; pure, for tests.
import { isolate } from '@panel/shared/messages/format.ts'

export type Language = 'en' | 'fa' | 'ru' | 'zh-CN'
export type ServerColour = 'blue' | 'green' | 'amber' | 'red' | 'purple' | 'grey'
export type Theme = 'system' | 'light' | 'dark'

export interface DisplaySettings {
  readonly 'display.language': Language
  readonly 'display.theme': Theme
  readonly 'display.throughput_unit': 'bytes' | 'bits'
  readonly 'display.volume_unit': 'bytes' | 'bits'
  readonly 'display.binary_units': boolean
  readonly 'display.digits': 'latin' | 'persian'
  readonly 'display.calendar': 'gregorian' | 'jalali'
  readonly 'display.server_name': string
  readonly 'display.server_colour': ServerColour
  readonly 'display.first_hour': boolean
}

export const DEFAULT_DISPLAY: DisplaySettings = {
  'display.language': 'en',
  'display.theme': 'system',
  'display.throughput_unit': 'bytes',
  'display.volume_unit': 'bytes',
  'display.binary_units': true,
  'display.digits': 'latin',
  'display.calendar': 'gregorian',
  'display.server_name': '',
  'display.server_colour': 'blue',
  'display.first_hour': true,
}

/** Keeps a number and its unit on one line. */
const NO_BREAK = '\u00a0'
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL = ['', 'k', 'M', 'G', 'T', 'P', 'E']
/** Powers of two, the round values of binary units. */
const POWERS_OF_TWO = Array.from({ length: 63 }, (_, power) => 2 ** power)
const AGES: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** Creating a formatter is far slower than using it. */
const memoized = (make: (digits: number) => Intl.NumberFormat) => {
  const made = new Map<number, Intl.NumberFormat>()
  return (digits: number): Intl.NumberFormat => {
    const format = made.get(digits) ?? make(digits)
    made.set(digits, format)
    return format
  }
}

const unitFormats = (settings: DisplaySettings, number: (value: number, digits?: number) => string) => {
  /** Keeps number and Latin unit in order inside right-to-left text. */
  const together = settings['display.language'] === 'fa' ? isolate : (text: string): string => text
  /** Three significant digits: 1.23, 12.3, 123. */
  const rounded = (value: number): string =>
    number(value, value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2)
  const scaled = (amount: number, unit: string, isBinary: boolean): string => {
    const base = isBinary ? 1024 : 1000
    let step = 0
    for (; Math.abs(amount) >= base * 0.9995 && step < BINARY.length - 1; step++) amount /= base
    return together(`${rounded(amount)}${NO_BREAK}${(isBinary ? BINARY : DECIMAL)[step] ?? ''}${unit}`)
  }
  const inUnit = (bytes: number, unit: 'bytes' | 'bits'): string =>
    unit === 'bits'
      ? scaled(bytes * 8, 'bit', settings['display.binary_units'])
      : scaled(bytes, 'B', settings['display.binary_units'])
  const signs: Partial<Record<Language, string>> = { fa: '٪', 'zh-CN': '%' }
  const percent = (figure: string): string => together(figure + (signs[settings['display.language']] ?? `${NO_BREAK}%`))
  const milliseconds = settings['display.language'] === 'ru' ? 'мс' : 'ms'
  return { together, rounded, scaled, inUnit, percent, milliseconds }
}

/** The browser's languages decide between the regions of the operator's: 23/11/2026 or 11/23/2026. */
export const formatter = (settings: DisplaySettings, browserLanguages: readonly string[] = []) => {
  const locale = localeTag(settings, browserLanguages)
  const numbers = memoized((digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
  const number = (value: number, digits = 0): string => numbers(digits).format(value)
  const relative = (numeric: 'always' | 'auto') => new Intl.RelativeTimeFormat(locale, { numeric, style: 'short' })
  const [ago, lately] = [relative('always'), relative('auto')]
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
  const day = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })

  const { together, rounded, scaled, inUnit, percent, milliseconds } = unitFormats(settings, number)

  return {
    locale,
    number,
    percent: (value: number): string => percent(number(value, value < 10 && !Number.isInteger(value) ? 1 : 0)),
    /** Two decimals, and 100 % only where it is that. */
    share: (value: number): string => percent(number(Math.floor(value * 100) / 100, 2)),
    volume: (bytes: number): string => inUnit(bytes, settings['display.volume_unit']),
    /** Always bytes: memory and disk sizes are never in bits. */
    size: (bytes: number): string => scaled(bytes, 'B', settings['display.binary_units']),
    rate: (bytes_per_second: number): string =>
      together(`${inUnit(bytes_per_second, settings['display.throughput_unit'])}/s`),
    /** Between the lines of a chart of bytes; undefined: as of any figures. */
    byteSteps: settings['display.binary_units'] ? POWERS_OF_TWO : undefined,
    milliseconds: (value: number): string => together(`${rounded(value)}${NO_BREAK}${milliseconds}`),
    /** Writes the time from an instant to now, such as "now" or "3 min. ago". */
    age: (since: Date, now: Date): string => {
      const seconds = Math.max(0, Math.round((now.getTime() - since.getTime()) / 1000))
      const [unit, length] = AGES.find(([, size]) => seconds >= size) ?? ['second', 1]
      return (seconds === 0 ? lately : ago).format(-Math.floor(seconds / length), unit)
    },
    duration: (seconds: number): string => formatDuration(seconds, locale),
    instant: (at: string | Date): string => when.format(new Date(at)),
    time: (at: string | Date): string => clock.format(new Date(at)),
    dayAndTime: (at: string | Date): string => day.format(new Date(at)),
  }
}

/** The locale tag carries digits and calendar (Unicode Technical Standard 35, -u-nu- and -u-ca-). */
const localeTag = (settings: DisplaySettings, browserLanguages: readonly string[]): string => {
  const language = settings['display.language']
  const regional = browserLanguages.find((one) => /^[a-z]{2}-[A-Z]{2}$/.test(one) && one.startsWith(`${language}-`))
  const digits = settings['display.digits'] === 'persian' ? 'arabext' : 'latn'
  const calendar = settings['display.calendar'] === 'jalali' ? 'persian' : 'gregory'
  return `${regional ?? language}-u-ca-${calendar}-nu-${digits}`
}

/** The two largest units, such as "3 d 4 h". */
const formatDuration = (seconds: number, locale: string): string => {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [Math.floor(seconds) % 60, 'second'],
  ]
  const first = Math.max(
    0,
    parts.findIndex(([amount]) => amount > 0),
  )
  const shown = seconds < 1 ? parts.slice(-1) : parts.slice(first, first + 2).filter(([amount]) => amount > 0)
  return shown
    .map(([amount, unit]) =>
      new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(amount),
    )
    .join(' ')
}
