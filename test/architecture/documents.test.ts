// The documents hold what they promise: nothing that they or a comment name is missing, and they stay short.
import assert from 'node:assert/strict'
import { ERROR_CODES, FIELD_CODES, WARNING_CODES } from '@panel/shared/api/base/codes.ts'
import { expectedOfIntruders } from '../support/intruder-table.ts'
import { danglingIn, everyDangling, readSources, type Library, type Source } from './citations.ts'
import { blocksIn, heightOf } from './markdown.ts'

const LINES_OF_A_PARAGRAPH = 6
const TERMS = 40
const STOPS = 12

const { sources, library } = readSources()
const documents = sources.filter(({ path }) => path.endsWith('.md'))

function documentAt(path: string): string {
  const found = documents.find((document) => document.path === path)
  assert.ok(found, `${path} is not there`)
  return found.text
}

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort()

/** The matches of a pattern in the sources, each once. */
const saidIn = (folder: RegExp, pattern: RegExp): string[] =>
  sorted(
    sources
      .filter(({ path }) => folder.test(path))
      .flatMap(({ text }) => [...text.matchAll(pattern)].map((match) => String(match[1]))),
  )

const isTest = (path: string | undefined, title: string | undefined): boolean => {
  const { text = '' } = sources.find((source) => source.path === path) ?? {}
  return ["'", '"', '`'].some((quote) => text.includes(`it(${quote}${title}${quote},`))
}

describe('The documents', () => {
  it('name no decision, section, file or heading that is not there, and neither does a comment', () => {
    assert.deepEqual(
      everyDangling().map(({ path, line, what }) => `${path}:${line}: ${what}`),
      [],
    )
  })

  it('give each decision an identifier of its own', () => {
    const given = [...library.decisions.matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map((match) => String(match[1]))
    assert.ok(given.length > 200, `${given.length} decisions`)
    assert.deepEqual(
      given.filter((one, index) => given.indexOf(one) !== index),
      [],
    )
  })

  it(`have no paragraph of more than ${LINES_OF_A_PARAGRAPH} lines of 120 columns`, () => {
    const long = documents.flatMap(({ path, text }) =>
      blocksIn(text)
        .filter((block) => ['paragraph', 'item'].includes(block.kind) && heightOf(block) > LINES_OF_A_PARAGRAPH)
        .map(({ line }) => `${path}:${line}`),
    )
    assert.deepEqual(long, [])
  })

  it(`explain at most ${TERMS} terms`, () => {
    const terms = [...documentAt('shared/docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*:/gm)].map((match) => match[1])
    assert.ok(terms.length > 0 && terms.length <= TERMS, `${terms.length} terms`)
    assert.deepEqual(
      terms.filter((term, index) => terms.indexOf(term) !== index),
      [],
    )
  })

  it(`walk with POST /tunnels past at most ${STOPS} stops, each a file`, () => {
    const [, walk = ''] = /## A walk of POST \/tunnels\n([^]*)$/.exec(documentAt('shared/docs/contributing.md')) ?? []
    const stops = blocksIn(walk).filter(({ kind, lines }) => kind === 'item' && /^\d+\. /.test(lines[0] ?? ''))
    assert.ok(stops.length > 0 && stops.length <= STOPS, `${stops.length} stops`)
    const nowhere = stops
      .filter(({ lines }) => {
        const [, path = ''] = /^\d+\. `([^`]+)`/.exec(lines[0] ?? '') ?? []
        return !library.files.includes(path)
      })
      .map(({ lines }) => lines[0])
    assert.deepEqual(nowhere, [])
  })

  it('name for each of the twenty requirements of the page tests that there are', () => {
    const [, section = ''] = /## Requirements\n([^]*)$/.exec(documentAt('shared/docs/page.md')) ?? []
    const rows = [...section.matchAll(/^\| (\d*) ?\| (.*?) ?\| `([^`]+)` \| (.+) \|$/gm)].map((row) => row.slice(1))
    const numbered = rows.filter(([number]) => number !== '').map(([number]) => Number(number))
    assert.deepEqual(
      numbered,
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
    assert.deepEqual(
      rows.filter(([, , path, title]) => !isTest(path, title)),
      [],
    )
  })

  it('name for each row of safe apply tests that there are', () => {
    const rows = [...documentAt('shared/docs/safe-apply.md').matchAll(/^\| (.+) \| `([^`]+)` \| (.+) \|$/gm)]
    assert.ok(rows.length > 0)
    assert.deepEqual(
      rows.filter(([, , path, title]) => !isTest(path, title)).map(([row]) => row),
      [],
    )
  })

  it('have a row for each attempt of an intruder in the place of a daemon, and for no other', () => {
    const tried = saidIn(/^test\/vm\/driver\/attempts\.ts$/, /^ {4}'([^']+)': /gm)
    assert.ok(tried.length > 60, `${tried.length} attempts`)
    assert.deepEqual(sorted(Object.keys(expectedOfIntruders('helper'))), tried)
  })

  it('describe every endpoint that is served, and no other', () => {
    const served = saidIn(/^(web-daemon|shared\/api)\//, /'((?:GET|POST|PUT|PATCH|DELETE) \/[a-z{][^']*)'/g)
    const described = saidIn(/^shared\/docs\/reference\.md$/, /`((?:GET|POST|PUT|PATCH|DELETE) \/[a-z{][^`]*)`/g)
    assert.deepEqual(described, served)
  })

  it('list every setting, and no other', () => {
    const defined = saidIn(/^web-daemon\/features\/settings\/definitions\//, /^ {2}'([a-z]+\.[a-z_]+)':/gm)
    const [, section = ''] = /## Section 8: Settings\n([^]*?)\n## /.exec(library.decisions) ?? []
    const categories = new Set(defined.map((key) => key.split('.')[0]))
    const listed = [...section.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map((match) => String(match[1]))
    assert.deepEqual(sorted(listed.filter((key) => categories.has(key.split('.')[0]))), defined)
  })

  it('list every code of an error, a refused field or a warning', () => {
    const codes = [...ERROR_CODES, ...FIELD_CODES, ...WARNING_CODES]
    assert.deepEqual(
      codes.filter((code) => !library.decisions.includes(`\`${code}\``)),
      [],
    )
  })
})

describe('The codes of the API', () => {
  it('are each raised somewhere: none is promised that nobody answers', () => {
    const raising = sources.filter(
      ({ path }) => /^(web-daemon|shared)\/.*\.ts$/.test(path) && !path.endsWith('/base/codes.ts'),
    )
    const raised = new Set(
      raising.flatMap(({ text }) => [...text.matchAll(/'([A-Z][A-Z0-9_]+)'/g)].map(([, code]) => code)),
    )
    const codes = [...ERROR_CODES, ...FIELD_CODES, ...WARNING_CODES]
    assert.deepEqual(
      codes.filter((code) => !raised.has(code)),
      [],
    )
  })
})

describe('The check of citations', () => {
  const small: Library = {
    files: [
      'web-daemon/change/queue.ts',
      'shared/docs/reference.md',
      'shared/docs/decisions.md',
      'README.md',
      'here.md',
    ],
    reference: '# R\n\n## Tunnels\n\n- `GET /tunnels`: all\n\n1. One\n2. Two\n\n## Events\n\n- **Ping**: a stream\n',
    decisions: '# D\n\n## Section 4: Errors\n\n- **S1** Apply status.\n\n### Warnings\n',
  }
  const inComment = (text: string): Source => ({ path: 'web-daemon/a.ts', text: `// Why (${text}).` })
  const missing = (source: Source): string[] => danglingIn(source, small).map(({ what }) => what)
  const cite = (document: 'reference' | 'decisions', what: string): Source => inComment(`${document}.md, ${what}`)

  for (const what of ['S1', 'section 4', 'section 4: Warnings', 'S1 and section 4'])
    it(`finds the decision ${what}`, () => assert.deepEqual(missing(cite('decisions', what)), []))

  for (const [what, lost] of [
    ['S2', 'S2'],
    ['S1 to S3', 'S3'],
    ['section 5', 'Section 5'],
    ['section 4: Riddles', 'Riddles'],
  ] as const)
    it(`misses the decision ${what}`, () => assert.deepEqual(missing(cite('decisions', what)), [lost]))

  for (const what of ['Tunnels', 'GET /tunnels', 'Tunnels 2', 'Tunnels 1 to 2', 'Events: Ping', 'Tunnels, Events'])
    it(`finds the section ${what}`, () => assert.deepEqual(missing(cite('reference', what)), []))

  for (const [what, lost] of [
    ['Pools', 'Pools'],
    ['GET /tunnels/{id}', 'GET /tunnels/{id}'],
    ['Tunnels 3', 'Tunnels 3'],
    ['Events: Pong', 'Events: Pong'],
    ['Tunnels, Pools; decisions.md, S1', 'Pools'],
  ] as const)
    it(`misses the section ${what}`, () => assert.deepEqual(missing(cite('reference', what)), [lost]))

  it('finds a file by its path, or beside, or by the end of its path, and misses any other', () => {
    const source = inComment('web-daemon/change/queue.ts, change/queue.ts, queue.ts, ./change/queue.ts')
    assert.deepEqual(missing(source), [])
    assert.deepEqual(missing(inComment('change/line.ts')), ['change/line.ts'])
  })

  it('reads a citation on into the next line', () => {
    const wrapped = (first: string, second: string) =>
      missing({ path: 'web-daemon/a.ts', text: `// ${first}\n// ${second}` })
    assert.deepEqual(wrapped('Why (reference.md, GET', '/tunnels; decisions.md,'), [])
    assert.deepEqual(wrapped('Why (reference.md, GET', '/pools).'), ['GET /pools'])
    assert.deepEqual(wrapped('Why (reference.md, Tunnels; decisions.md, S1 to', 'S3).'), ['S3'])
  })

  it('takes an import or a text of the program for no citation', () => {
    assert.deepEqual(
      missing({ path: 'web-daemon/a.ts', text: "import { b } from './gone.ts'\nconst c = 'gone.ts'" }),
      [],
    )
  })

  it('follows links and their headings, and finds folders', () => {
    const text =
      '# Title of it\n\n[a](README.md), [b](#title-of-it), `change/`, [c](gone.md), [d](#other), `elsewhere/`\n'
    assert.deepEqual(missing({ path: 'here.md', text }).sort(), ['#other', 'elsewhere/', 'gone.md', 'gone.md'])
  })
})
