// The language of the search boxes, the differences of two texts, and which page an address is.
import assert from 'node:assert/strict'
import { diffLines, foldDiff } from '../../../ui/src/core/diff.ts'
import { matchRoute, ROUTES, type Route } from '../../../ui/src/core/routes.ts'
import { complete, faultsIn, matches, parseTerms, toggleTerm, type Vocabulary } from '../../../ui/src/core/search.ts'

const TUNNEL = {
  text: 'gre-a-1\nHamburg relay\n2001:db8::1',
  values: { state: ['Down'], tag: ['north', 'old'], is: ['enabled'] },
}
const finds = (text: string): boolean => matches(parseTerms(text), TUNNEL)

const VOCABULARY: Vocabulary = { state: ['up', 'down'], is: ['enabled'], tag: () => ['north', 'two words', 'north'] }

describe('The words of a search', () => {
  it('find a text with a hyphen at which no line breaks by the hyphen of a keyboard', () => {
    const text = { text: 'Включать IP\u2011форвардинг', values: {} }
    assert.ok(matches(parseTerms('ip-форвардинг'), text))
    assert.ok(matches(parseTerms('IP\u2011форвардинг'), text))
  })
})

describe('The filters of a search', () => {
  const faults = (text: string): string[] =>
    faultsIn(parseTerms(text), VOCABULARY).map(
      ({ kind, name, value, options }) => `${kind} ${name}:${value} (${options.join(' ')})`,
    )

  it('are named where they are wrong, with those that there are', () => {
    assert.deepEqual(faults('-state:dwon stat:up'), ['value state:dwon (up down)', 'name stat:up (state is tag)'])
  })

  it('are not wrong while they are typed, where any text may fit, and where an address is meant', () => {
    assert.deepEqual(faults('state: state:UP tag:south dead:beef::1 fe80::1 hamburg 2001:db8::/32'), [])
  })

  it('are suggested for the word at the caret, first the names and then the values', () => {
    const at = (text: string, caret = text.length): unknown[] => {
      const { from, to, options } = complete(text, caret, VOCABULARY)
      return [from, to, ...options]
    }
    assert.deepEqual(at('ham st'), [4, 6, 'state:'])
    assert.deepEqual(at('-state:'), [0, 7, '-state:up', '-state:down'])
    assert.deepEqual(at('state:dwon x', 7), [0, 10, 'state:down'])
    assert.deepEqual(at('tag:'), [0, 4, 'tag:north', 'tag:"two words"'])
    assert.deepEqual(at('state:up'), [0, 8])
    assert.deepEqual(at(''), [0, 0])
  })
})

describe('A search', () => {
  const FOUND = [
    '',
    'hamburg',
    'HAM relay',
    'state:down',
    '-state:up',
    'state:up state:down',
    'tag:old -tag:south',
    '"burg rel"',
    'state:',
    '2001:db8::1',
    'db8::',
  ]
  const MISSED = [
    'berlin',
    'state:up',
    '-state:down',
    'hamburg state:up',
    '-hamburg',
    'state:down is:disabled',
    '"relay hamburg"',
    'colour:red',
  ]
  for (const text of FOUND) it(`for ${JSON.stringify(text)} finds it`, () => assert.ok(finds(text)))
  for (const text of MISSED) it(`for ${JSON.stringify(text)} does not`, () => assert.ok(!finds(text)))
  it('has a filter put in and taken out by one click', () => {
    assert.equal(toggleTerm('ham', 'state:down'), 'ham state:down')
    assert.equal(toggleTerm('ham state:down', 'state:down'), 'ham')
  })
})

describe('A difference of texts', () => {
  it('names the lines that went and came, in their place', () => {
    assert.deepEqual(
      diffLines('a\nb\nc\n', 'a\nx\nc\nd\n').map(({ kind, text }) => `${kind} ${text}`),
      ['same a', 'gone b', 'new x', 'same c', 'new d'],
    )
    assert.deepEqual(
      diffLines('', 'a\n').map(({ kind }) => kind),
      ['new'],
    )
    assert.deepEqual(
      diffLines('a', 'a').map(({ kind }) => kind),
      ['same'],
    )
  })
})

describe('A folded difference', () => {
  const folded = (before: string, after: string): string[] =>
    foldDiff(diffLines(before, after), 1).map(({ isFolded, lines }) =>
      isFolded ? `${lines.length} folded` : lines.map(({ text }) => text).join(' '),
    )

  it('shows the changed lines with those around them', () => {
    assert.deepEqual(folded('a\nb\nc\nd\ne\nf', 'a\nb\nC\nd\ne\nf'), ['a', 'b c C d', '2 folded'])
  })

  it('folds what is the same throughout', () => assert.deepEqual(folded('a\nb', 'a\nb'), ['2 folded']))
})

describe('An address', () => {
  const route = (path: string): Route => ({ path, page: 'x/XPage', areas: [], title: 'core.nav.tunnels' })
  const routes = ['/', '/tunnels', '/tunnels/new', '/tunnels/:id', '/tunnels/:id/history'].map(route)

  it('is a page by its segments, what varies as a parameter', () => {
    const found = (path: string): unknown => {
      const match = matchRoute(path, routes)
      return match && [match.route.path, match.params]
    }
    assert.deepEqual(['/', '/tunnels', '/tunnels/', '/tunnels/new', '/tunnels/7', '/tunnels/7/history'].map(found), [
      ['/', {}],
      ['/tunnels', {}],
      ['/tunnels', {}],
      ['/tunnels/new', {}],
      ['/tunnels/:id', { id: '7' }],
      ['/tunnels/:id/history', { id: '7' }],
    ])
    assert.deepEqual(['/nothing', '/tunnels/7/other', '/tunnels/7/history/x'].map(found), [null, null, null])
  })

  it('belongs to one page only', () => assert.equal(new Set(ROUTES.map(({ path }) => path)).size, ROUTES.length))
})
