// The sentences of the API, fetched a group at a time: the daemon's own, but where those speak to clients of the API.
import { joinUnits } from './units.ts'

type Texts = Readonly<Record<string, string>>
const GROUPS = import.meta.glob<Readonly<Record<string, Texts>>>([
  '../../../../shared/messages/*.ts',
  '!../../../../shared/messages/{catalogue,format,message,named,render}.ts',
])
const OF_THE_PAGE = import.meta.glob<Texts>('./messages/*.json', { import: 'default' })

export default async (group: string): Promise<Texts> => {
  const [ofTheDaemon, ofThePage] = await Promise.all([
    GROUPS[`../../../../shared/messages/${group}.ts`]?.(),
    OF_THE_PAGE[`./messages/${group}.json`]?.(),
  ])
  const texts: Texts = Object.assign({}, ...Object.values(ofTheDaemon ?? {}), ofThePage)
  return Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, joinUnits(text)]))
}
