// What a file would change, or has changed, for a person to read.
import type { DesiredAnswer } from '@panel/shared/api/desired.ts'

const SIGNS = { created: '+', updated: '~', deleted: '-' } as const

/** An object a line, and what changes of it, as a diff has it. */
export const differenceText = ({ items }: DesiredAnswer): string =>
  items
    .map(({ kind, title, what, changes }) => {
      const fields =
        what === 'updated'
          ? changes.map(({ field, before, after }) => `    ${field}: ${valueText(before)} -> ${valueText(after)}\n`)
          : []
      return `${SIGNS[what]} ${kind} ${title}\n${fields.join('')}`
    })
    .join('')

/** The requests in their order, and why one would be refused as things stand. */
export const planText = (answer: DesiredAnswer): string =>
  differenceText(answer) +
  answer.steps.map(({ method, path, error }) => `${method} ${path}${error ? `: ${error.message}` : ''}\n`).join('')

const valueText = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
