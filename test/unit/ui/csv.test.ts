// Tables for spreadsheets.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { csvOf, type Cell } from '../../../ui/src/core/csv.ts'

/** Reads what RFC 4180 describes. */
function read(text: string): string[][] {
  const rows: string[][] = [[]]
  let at = 1
  while (at < text.length) {
    const [, quoted, plain = ''] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))/.exec(text.slice(at)) ?? []
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    at += quoted === undefined ? plain.length : quoted.length + 2
    if (text.startsWith('\r\n', at)) rows.push([])
    at += text[at] === ',' ? 1 : 2
  }
  return rows.slice(0, -1)
}

describe('A table for a spreadsheet', () => {
  it('reads back cell by cell, whatever stands in them', () => {
    const cell = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[",\r\n=+@\t' -]{0,6}$/),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }), (rows) => {
        const wanted = (one: Cell): string =>
          typeof one === 'string' && /^[=+\-@\t\r]/.test(one) ? `'${one}` : `${one ?? ''}`
        assert.deepEqual(
          read(csvOf(rows)),
          rows.map((row) => row.map(wanted)),
        )
      }),
    )
  })

  it('begins with the mark that has Excel read it as Unicode', () => assert.equal(csvOf([['Ж']]), '\uFEFFЖ\r\n'))

  it('carries no formula, and leaves negative numbers what they are', () =>
    assert.equal(csvOf([['=1+1', '@x', '-2', -2]]), "\uFEFF'=1+1,'@x,'-2,-2\r\n"))
})
