// The programs as they are shipped, in the bundle that is there, for tests of what an operator runs.
import { fileURLToPath } from 'node:url'

/** What a command line begins with. */
export const shipped = (name: 'web' | 'tunnel-panel'): readonly [program: string, path: string] => [
  process.execPath,
  fileURLToPath(new URL(`../../.build/bundle/${name}.cjs`, import.meta.url)),
]
