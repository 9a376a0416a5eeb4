// The sentences of the API in this language, fetched a group at a time: a page says few of them.
const GROUPS = import.meta.glob<Readonly<Record<string, string>>>('./messages/*.json', { import: 'default' })

export default async (group: string): Promise<Readonly<Record<string, string>>> =>
  (await GROUPS[`./messages/${group}.json`]?.()) ?? {}
