// The table of the threat model: what an intruder gets in the place of each daemon.
import { readFileSync } from 'node:fs'
import { blocksIn } from '../architecture/markdown.ts'

const DOCUMENT = new URL('../../shared/docs/threat-model.md', import.meta.url)
const COLUMNS = { web: 1, helper: 2 } as const

/** Returns what the table has for each attempt: "works", or the error of the system. */
export function expectedOfIntruders(whose: keyof typeof COLUMNS): Record<string, string> {
  const tables = blocksIn(readFileSync(DOCUMENT, 'utf8')).filter(({ kind }) => kind === 'table')
  const [, , ...rows] = tables.find(({ lines }) => lines[0]?.startsWith('| attempt |'))?.lines ?? []
  return Object.fromEntries(
    rows.map((row) => {
      const cells = row.split('|').slice(1, -1)
      const [attempt = '', got = ''] = [cells[0], cells[COLUMNS[whose]]].map((cell) => cell?.replaceAll('`', '').trim())
      return [attempt, got]
    }),
  )
}
