// What checks the house rules, for `npm run lint` and for the architecture tier. ESLint remembers in .build what it has
// found in a file that is as it was; with CI=true nothing is remembered.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../packaging/build/build.ts'

const run = promisify(execFile)
const isRemembered = process.env['CI'] !== 'true'
export const BIN = join(ROOT, 'node_modules/.bin')

const ROOMS = ['shared', 'root-helper', 'web-daemon', 'ui', 'test', 'packaging'] as const

export const TOOLS = {
  // By TypeScript 7, which takes a tenth of the time; what has the programming interface of 6 needs 6.
  'hold in the types of every room': [
    ...['../@typescript/native/bin/tsc', '-b', 'shared', 'root-helper', 'web-daemon', 'test'],
  ],
  'hold in the types of the page, its components and the keys of its words': [
    ...['svelte-check', '--workspace', 'ui', '--tsconfig', 'tsconfig.json', '--output', 'human', '--fail-on-warnings'],
    '--tsgo-experimental-api',
  ],
  'hold in the eyes of the linter of components': [
    ...['eslint', '--config', 'test/architecture/eslint.config.js', '.'],
    ...(isRemembered ? ['--cache', '--cache-strategy', 'content', '--cache-location', '.build/lint/eslint'] : []),
  ],
  'hold in the eyes of the linter of TypeScript': ['oxlint', '--type-aware', ...ROOMS],
  'are formatted by oxfmt': ['oxfmt', '--check'],
} as const satisfies Record<string, readonly string[]>

/** The import walls; the architecture tier reads what it finds in another form (import-graph.ts). */
export const WALLS = ['depcruise', '--config', '.dependency-cruiser.cjs', ...ROOMS] as const

/** Throws with all that the tool says where it finds something. */
export async function check([name = '', ...args]: readonly string[]): Promise<void> {
  try {
    await run(join(BIN, name), args, { cwd: ROOT, maxBuffer: 1 << 26 })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${name} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
  }
}
