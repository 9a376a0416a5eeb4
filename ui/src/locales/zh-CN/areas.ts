// The Chinese words of the page by area. Every page needs those of the frame, so they come with the list of the others.
import core from './core.json'

type Words = Readonly<Record<string, string>>
const AREAS = import.meta.glob<Words>(['./*.json', '!./core.json'], { import: 'default' })

export default async (area: string): Promise<Words> =>
  area === 'core' ? core : ((await AREAS[`./${area}.json`]?.()) ?? {})
