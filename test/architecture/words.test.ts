// Comments and titles in plain English.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../packaging/build/build.ts'
import { commentsIn, declaredIn, fault, titlesIn } from './words.ts'

const sources = (...patterns: string[]): [path: string, text: string][] =>
  execFileSync('git', ['ls-files', '--', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && !path.startsWith('test/architecture/words'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])

describe('Plain English', () => {
  it('stands in comments: each begins with its subject or a verb, without words of a dialect', () => {
    const found = sources('*.ts', '*.svelte', '*.mjs', '*.cjs', '*.js', '*.c', '*.h').flatMap(([path, text]) =>
      commentsIn(text).flatMap((comment) => {
        const why = fault(comment)
        return why === null ? [] : [`${path}:${comment.line}: ${why}`]
      }),
    )
    assert.deepEqual(found, [])
  })

  it('stands in the titles of tests', () => {
    const found = sources('test/*.ts').flatMap(([path, text]) =>
      titlesIn(text).flatMap((title) => {
        const why = fault({ isDoc: false, text: title })
        return why === null ? [] : [`${path}: ${why}`]
      }),
    )
    assert.deepEqual(found, [])
  })

  it('stands in the names of values and types', () => {
    const found = sources('*.ts', '*.svelte').flatMap(([path, text]) =>
      declaredIn(text).map((declared) => `${path}: ${declared}`),
    )
    assert.deepEqual(found, [])
  })

  const SAMPLE = [
    '/** Of a rule. */',
    '/**',
    ' * Where it is not there:',
    ' * makes one.',
    ' */',
    '/** Returns what was told. */',
    'const a = 1 // whoever reads it',
    '// One line,',
    '// and somebody on the next.',
    '/* As in C. */',
    "it('is asked for', () => undefined)",
    "const url = 'http://told.example' /** Offers a thing of its own. */",
  ].join('\n')

  it('is looked for in every kind of comment, and in nothing else', () => {
    const faults = commentsIn(SAMPLE).flatMap((comment) => (fault(comment) === null ? [] : [comment.line]))
    assert.deepEqual(faults, [1, 2, 6, 8, 7])
    assert.deepEqual(titlesIn(SAMPLE), ['is asked for'])
    assert.deepEqual(declaredIn('const told = 1; let toldBy = told; interface Heard {}'), [
      'const told',
      'interface Heard',
    ])
  })
})
