// The package of a next release: the same under a higher version, with one migration more (driver/next-migration.ts) and
// another text of limits.conf.
import { execFileSync } from 'node:child_process'
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../../../packaging/build/build.ts'
import { thePackage } from './installed.ts'

/** The path of the package in the machine. */
export const NEXT = '/root/next.deb'
/** While it is there the migration fails (driver/next-migration.ts). */
export const FAILS = '/run/the-next-migration-fails'

/** The line that limits.conf has in the next release. */
export const NEXT_LINE = '# A line of the next release.'

/** Calls `work` with the path; nothing of it is left afterwards. */
export async function withNextPackage(version: string, work: (path: string) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'panel-package-'))
  try {
    const [tree, built] = [join(folder, 'tree'), join(folder, `tunnel-panel_${version}_amd64.deb`)]
    execFileSync('dpkg-deb', ['--raw-extract', await thePackage(), tree])
    const control = join(tree, 'DEBIAN/control')
    await writeFile(control, (await readFile(control, 'utf8')).replace(/^Version: .*$/m, `Version: ${version}`))
    await appendFile(join(tree, 'etc/tunnel-panel/limits.conf'), `${NEXT_LINE}\n`)
    for (const [name, program] of [
      ['web', 'web.cjs'],
      ['command', 'tunnel-panel.cjs'],
    ] as const) {
      await bundle(`test/vm/driver/next-${name}.ts`, join(folder, program))
      await copyFile(join(folder, program), join(tree, 'usr/lib/tunnel-panel', program))
    }
    execFileSync('dpkg-deb', ['-Znone', '--root-owner-group', '--build', tree, built], { stdio: 'ignore' })
    await work(built)
  } finally {
    await rm(folder, { recursive: true })
  }
}
