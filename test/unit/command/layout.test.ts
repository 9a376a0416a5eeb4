// How the command line lays text out: by the width of the terminal, and whole where there is none.
import assert from 'node:assert/strict'
import { table, widthOf, wrap, type TableColumn } from '@panel/web-daemon/cli/text/layout.ts'
import { didYouMean, nearest } from '@panel/web-daemon/cli/text/nearest.ts'
import { formatCell } from '@panel/web-daemon/cli/text/units.ts'
import { bytes, instant, milliseconds, percent, rate, seconds } from '@panel/shared/api/columns/listing.ts'

const column = (title: string, cells: string[], more: Partial<TableColumn> = {}): TableColumn => ({
  title,
  cells,
  isExtra: false,
  isNumber: false,
  ...more,
})

describe('A table of the command line', () => {
  const ids = column('ID', ['1', '12'], { isNumber: true })
  const names = column('TITLE', ['game', 'web of the customers in Bremen'])
  const notes = column('NOTE', ['short', 'a note'], { isExtra: true })

  it('has each column as wide as its widest cell, numbers on the right', () =>
    assert.equal(
      table([ids, names, notes], null),
      'ID  TITLE                           NOTE\n 1  game                            short\n12  web of the customers in Bremen  a note\n',
    ))

  it('leaves extra columns out where they do not fit', () => {
    assert.match(table([ids, names, notes], 42), /NOTE/)
    assert.doesNotMatch(table([ids, names, notes], 40), /NOTE/)
  })

  it('breaks long cells between words where the terminal is narrow, and loses nothing', () =>
    assert.equal(table([ids, names], 20), 'ID  TITLE\n 1  game\n12  web of the\n    customers in\n    Bremen\n'))

  it('makes sentences narrower before it breaks a word', () => {
    const keys = column('KEY', ['tunnel.default_type'])
    const sentences = column('DESCRIPTION', ['What a new tunnel is.'])
    assert.equal(
      table([keys, sentences], 34),
      'KEY                  DESCRIPTION\ntunnel.default_type  What a new\n                     tunnel is.\n',
    )
    assert.match(table([keys, sentences], 30), /^KEY +DESCRIPTION\ntunnel\.default_ty {2}What a new\npe /)
  })

  it('is no wider than the terminal, and has every letter', () => {
    const addresses = column('ADDRESS', ['2001:db8:1234:5678:9abc:def0:1234:5678/64', '-'])
    const letters = (text: string): string => [...text.replaceAll(/\s/g, '')].sort().join('')
    const all = letters([ids, names, addresses].flatMap(({ title, cells }) => [title, ...cells]).join(''))
    for (let width = 24; width < 100; width += 3) {
      const text = table([ids, names, addresses], width)
      for (const line of text.split('\n')) assert.ok(widthOf(line) <= width, `${width}: ${line}`)
      assert.equal(letters(text), all, String(width))
    }
  })

  it('counts characters that take two columns or none as a terminal does', () => {
    assert.deepEqual(['北京中继', 'e\u0301', 'abc', '🚇'].map(widthOf), [8, 1, 3, 2])
    assert.equal(table([column('A', ['北京', 'x']), column('B', ['1', '2'])], null), 'A     B\n北京  1\nx     2\n')
  })

  it('shows control characters by their numbers', () =>
    assert.equal(table([column('A', ['\u001b[2J'])], null), 'A\n\\u001b[2J\n'))
})

describe('Text of the command line', () => {
  it('is broken between words, and a word that is too long within', () => {
    assert.deepEqual(wrap('one two three', 7), ['one two', 'three'])
    assert.deepEqual(wrap('abcdefgh i', 3), ['abc', 'def', 'gh', 'i'])
    assert.deepEqual(wrap('', 10), [''])
  })

  it('says amounts as a person does', () => {
    const written: [Parameters<typeof formatCell>[0], string][] = [
      [bytes(0), '0 B'],
      [bytes(999), '999 B'],
      [bytes(1500), '1.5 kB'],
      [bytes(3_400_000_000), '3.4 GB'],
      [rate(125_000), '1 Mbit/s'],
      [rate(0.4), '3.2 bit/s'],
      [rate(null), '-'],
      [seconds(59.6), '1 min'],
      [seconds(0), '0 s'],
      [seconds(90_061), '1 d 1 h'],
      [milliseconds(12.345), '12 ms'],
      [percent(0.25), '0.3 %'],
      [instant('2026-01-31T12:00:00.123Z'), '2026-01-31 12:00:00Z'],
      [true, 'yes'],
      [null, '-'],
      ['', '-'],
      [[], '-'],
      [['a', 'b'], 'a, b'],
      ['two\nlines', 'two lines'],
    ]
    for (const [value, text] of written) assert.equal(formatCell(value), text)
  })

  it('names the word that was probably meant', () => {
    const words = ['tunnels', 'routes', 'status', 'set-listen', 'url']
    for (const [typed, meant] of [
      ['tunels', 'tunnels'],
      ['ruotes', 'routes'],
      ['Status', 'status'],
      ['setlisten', 'set-listen'],
      ['ulr', 'url'],
      ['nonsense', null],
    ] as const)
      assert.equal(nearest(typed, words), meant, typed)
    assert.equal(didYouMean('tunels', words), 'Did you mean tunnels?')
    assert.equal(didYouMean('nonsense', words), `There are: ${words.join(', ')}.`)
  })
})
