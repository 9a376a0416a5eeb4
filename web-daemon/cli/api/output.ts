// An answer of the API as JSON, as a table of what it lists, or as lines of names and values.

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

export function formatAnswer(answer: unknown, output: 'json' | 'table'): string {
  if (output === 'json' || !isFields(answer)) return `${JSON.stringify(answer, null, 2)}\n`
  // What has an id of its own is one thing, whatever lists it has.
  const isOne = Object.entries(answer).some(([name, value]) => name.endsWith('_id') && typeof value === 'number')
  const list = isOne
    ? undefined
    : Object.values(answer).find((value): value is Fields[] => Array.isArray(value) && value.every(isFields))
  return list ? table(list) : lines(answer)
}

/** What a rule is lies one level down. */
const flat = (row: Fields): Fields =>
  Object.assign(
    {},
    ...Object.entries(row).map(([name, value]) =>
      isPlain(value) ? { [name]: value } : isFields(value) && name === 'route' ? plainOf(value) : {},
    ),
  ) as Fields

const plainOf = (row: Fields): Fields => Object.fromEntries(Object.entries(row).filter(([, value]) => isPlain(value)))

const MAX_COLUMNS = 8

function table(rows: readonly Fields[]): string {
  const plain = rows.map(flat)
  const names = [...new Set(plain.flatMap(Object.keys))].slice(0, MAX_COLUMNS)
  if (names.length === 0) return 'None.\n'
  const cells = [names.map((name) => name.toUpperCase()), ...plain.map((row) => names.map((name) => cell(row[name])))]
  const widths = names.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  return cells
    .map(
      (line) =>
        `${line
          .map((text, at) => text.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

const lines = (answer: Fields): string =>
  Object.entries(answer)
    .map(([name, value]) => `${name}: ${isPlain(value) ? cell(value) : JSON.stringify(value)}\n`)
    .join('')

const cell = (value: unknown): string =>
  value === null || value === undefined || value === '' ? '-' : String(value).replaceAll(/\s+/g, ' ')
