// Cuts a request that is too large for the audit log to what fits: every field keeps its name, and long texts, lists
// and objects their beginning.

/** How much of each text, list and object is kept, in the order in which it is tried. */
const CUTS = [4096, 1024, 256, 64, 16].map((characters) => ({ characters, items: Math.max(1, characters / 32) }))
/** The limit for unknown fields, of which there may be thousands. */
const MAX_FIELDS = 100

type Cut = (typeof CUTS)[number]
type Fields = Readonly<Record<string, unknown>>

export function cutToFit(request: Fields, characters: number): Record<string, unknown> {
  const fits = (one: Fields): boolean => JSON.stringify(one).length <= characters
  if (fits(request)) return request
  const fields = cutFields(request, MAX_FIELDS, (value) => value)
  for (const cut of CUTS) {
    const shorter = cutFields(fields, MAX_FIELDS + 1, (value) => cutValue(value, cut))
    if (fits(shorter)) return shorter
  }
  // A name may take six characters for each of its own.
  return cutFields(fields, 20, () => '[cut]')
}

function cutValue(value: unknown, cut: Cut): unknown {
  if (typeof value === 'string') return cutText(value, cut.characters)
  if (Array.isArray(value)) return cutList(value as unknown[], cut)
  if (typeof value !== 'object' || value === null) return value
  return cutFields(value as Fields, Math.max(cut.items, 8), (inner) => cutValue(inner, cut))
}

const cutText = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters)}… [cut: ${text.length} characters]`

const cutList = (list: readonly unknown[], cut: Cut): unknown[] => [
  ...list.slice(0, cut.items).map((item) => cutValue(item, cut)),
  ...(list.length > cut.items ? [`[cut: ${list.length} items]`] : []),
]

function cutFields(fields: Fields, most: number, cut: (value: unknown) => unknown): Record<string, unknown> {
  const all = Object.entries(fields)
  return Object.fromEntries([
    ...all.slice(0, most).map(([field, value]) => [field.slice(0, 64), cut(value)]),
    ...(all.length > most ? [['[cut]', `${all.length} fields`]] : []),
  ])
}
