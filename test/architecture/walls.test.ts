// The house rules as tests: types, lint, import walls, and what may lie in a shipped bundle.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'
import { BUNDLE, ROOT } from '../../packaging/build/build.ts'
import { check, TOOLS } from './tools.ts'

const run = promisify(execFile)

/** The budgets of helper.cjs and of the packages in it. To grant more is a decision: every byte of it runs as root. */
const ROOT_BYTES = { all: 1_005_000, packages: 38_000 }

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>
}

/** The bytes that each source has in a program; a source that was read and left out has none. */
const sourcesOf = (program: string): [path: string, bytes: number][] => {
  const { outputs } = JSON.parse(readFileSync(join(BUNDLE, `${program}.meta.json`), 'utf8')) as Metafile
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .map(([path, { bytesInOutput }]): [string, number] => [path, bytesInOutput])
    .filter(([, bytes]) => bytes > 0)
}

const packageOf = (path: string): string | undefined => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]

const tracked = async (...patterns: string[]): Promise<string[]> =>
  (await run('git', ['ls-files', '--', ...patterns], { cwd: ROOT })).stdout.split('\n').filter((line) => line !== '')

describe('The house rules', function () {
  for (const [rule, command] of Object.entries(TOOLS)) it(rule, () => check(command))

  it('let shared compile without any environment, so that it cannot act', () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.base.json'), 'utf8')) as {
      compilerOptions: { types: string[]; lib: string[] }
    }
    assert.deepEqual([compilerOptions.types, compilerOptions.lib], [[], ['es2023']])
    const { compilerOptions: own } = JSON.parse(readFileSync(join(ROOT, 'shared/tsconfig.json'), 'utf8')) as {
      compilerOptions: Record<string, unknown>
    }
    assert.deepEqual([own['types'], own['lib']], [undefined, undefined])
  })

  it('keep comments that silence a tool, tests that do not run and unfinished notes out of the tree', async () => {
    const words = [
      '@ts-' + 'ignore',
      '@ts-' + 'expect-error',
      'eslint-' + 'disable',
      'TO' + 'DO',
      'FIX' + 'ME',
      'it.on' + 'ly',
      'it.sk' + 'ip',
      'describe.on' + 'ly',
      'describe.sk' + 'ip',
    ]
    const odd = (await tracked('*.ts', '*.svelte', '*.js', '*.mjs', '*.cjs', '*.c', '*.sh')).filter((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      return words.some((word) => text.includes(word))
    })
    assert.deepEqual(odd, [])
  })

  it('keep download addresses out of the lockfile, and ranges out of the dependencies', async () => {
    assert.doesNotMatch(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), /"resolved": "https?:/)
    for (const path of await tracked('package.json', '*/package.json')) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<
        string,
        Record<string, string>
      >
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
        assert.match(version, /^(npm:[a-z]+@)?[0-9]+\.[0-9]+\.[0-9]+$/, `${name} in ${path}`)
    }
  })
})

describe('The shipped bundles', () => {
  it('carry into root only the packages that it is granted by name', () => {
    const packages = new Set(sourcesOf('helper').flatMap(([path]) => packageOf(path) ?? []))
    assert.deepEqual([...packages], ['json-rpc-2.0'])
  })

  it('stay in root within the bytes that it is granted', () => {
    const sources = sourcesOf('helper')
    const bytes = { all: statSync(join(BUNDLE, 'helper.cjs')).size, packages: 0 }
    for (const [path, size] of sources) if (packageOf(path) !== undefined) bytes.packages += size
    const heaviest = sources
      .sort(([, a], [, b]) => b - a)
      .slice(0, 12)
      .map(([path, size]) => `${size} ${path}`)
    for (const part of ['all', 'packages'] as const)
      assert.ok(
        bytes[part] <= ROOT_BYTES[part],
        `helper.cjs: ${part} ${bytes[part]} of ${ROOT_BYTES[part]} bytes. The heaviest:\n${heaviest.join('\n')}`,
      )
  })

  it('leave out what Express loads to read bodies, since the daemon reads them itself', () => {
    const packages = sourcesOf('web').flatMap(([path]) => packageOf(path) ?? [])
    assert.ok(packages.includes('express'))
    for (const name of ['body-parser', 'iconv-lite', 'raw-body']) assert.ok(!packages.includes(name), name)
  })

  it('carry into root each sentence that is named there', () => {
    const text = readFileSync(join(BUNDLE, 'helper.cjs'), 'utf8')
    const ids = (pattern: RegExp) =>
      new Set([...text.matchAll(pattern)].map(([, id = '']) => id).filter((id) => id in CATALOGUE))
    const carried = ids(/"([a-z]+\.[a-z0-9_]+)": ["'`]/g)
    const named = ids(/"([a-z]+\.[a-z0-9_]+)"(?!:)/g)
    assert.deepEqual(
      [...named].filter((id) => !carried.has(id)),
      [],
    )
    assert.ok(named.size > 100, `${named.size} are named`)
  })

  it('generate no code in root: its checks are compiled ahead', () => {
    assert.doesNotMatch(readFileSync(join(BUNDLE, 'helper.cjs'), 'utf8'), /new Function\(/)
  })

  it('start no program from the web daemon', () => {
    assert.doesNotMatch(readFileSync(join(BUNDLE, 'web.cjs'), 'utf8'), /require\("(node:)?child_process"\)/)
  })
})
