// The version stands in package.json and in Debian's changelog; they must say the same.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../build/build.ts'

export async function checkVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const [first = ''] = (await readFile(join(ROOT, 'packaging/debian/changelog'), 'utf8')).split('\n')
  const [, reported] = /^tunnel-panel \(([^)]+)\)/.exec(first) ?? []
  if (reported !== version)
    throw new Error(
      `packaging/debian/changelog begins with version ${reported}, package.json says ${version}: add an entry`,
    )
  return version
}
