// What checks the house rules, for `npm run lint` and for the architecture tier. Each remembers in .build what it has
// found in a file that is as it was; with CI=true nothing is remembered.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../packaging/build/build.ts'

const run = promisify(execFile)
const isRemembered = process.env['CI'] !== 'true'

function remembering(...options: string[]): string[] {
  return isRemembered ? options : []
}

export const TOOLS = {
  // TypeScript 7, which takes a tenth of the time; the linter and svelte-check need the programming interface of 6.
  'hold in the types of every room': ['../typescript-7/bin/tsc', '-b', 'shared', 'root-helper', 'web-daemon', 'test'],
  'hold in the types of the page, its components and the keys of its words': [
    ...['svelte-check', '--workspace', 'ui', '--tsconfig', 'tsconfig.json', '--output', 'human', '--fail-on-warnings'],
  ],
  'hold in the eyes of the linter': [
    ...['eslint', '--config', 'test/architecture/eslint.config.js', '.'],
    ...remembering('--cache', '--cache-strategy', 'content', '--cache-location', '.build/lint/eslint'),
  ],
  // A promise that nobody waits for is an error that nobody sees, a union that grows must show every place that decides
  // over it, and an object in a template is read as "[object Object]". These need types, which this linter reads with
  // TypeScript 7 in a tenth of the time.
  'wait for every promise, decide over every case and write no object into a text': [
    ...['oxlint', '--type-aware', '--config', 'test/architecture/oxlint.json'],
    ...['shared', 'root-helper', 'web-daemon', 'ui', 'test', 'packaging'],
  ],
  'are formatted by Prettier': [
    ...['prettier', '--check', '.'],
    ...remembering('--cache', '--cache-strategy', 'content', '--cache-location', '.build/lint/prettier'),
  ],
  'keep the import walls standing': [
    ...['depcruise', '--config', '.dependency-cruiser.cjs'],
    ...remembering('--cache', '.build/lint/walls'),
    ...['shared', 'root-helper', 'web-daemon', 'ui', 'test', 'packaging'],
  ],
} as const satisfies Record<string, readonly string[]>

/** Throws with all that the tool says where it finds something. */
export async function check([name = '', ...args]: readonly string[]): Promise<void> {
  try {
    await run(join(ROOT, 'node_modules/.bin', name), args, { cwd: ROOT, maxBuffer: 1 << 26 })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${name} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
  }
}
