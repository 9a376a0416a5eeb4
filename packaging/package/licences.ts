// The licences of what is bundled, read from the packages themselves: a section of Debian's copyright file for each.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../build/build.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
}

/** Linked into a native addon or copied beside the bundles, so that esbuild does not list them. */
const BESIDE = ['better-sqlite3', 'bcrypt']

/** Folders of the packages of which anything is in a bundle, as esbuild and Vite tell. */
async function bundled(bundle: string): Promise<string[]> {
  const reports = (await readdir(bundle)).filter((name) => name.endsWith('.meta.json'))
  const inputs = await Promise.all(
    reports.map(async (name) =>
      Object.keys((JSON.parse(await readFile(join(bundle, name), 'utf8')) as { inputs: object }).inputs),
    ),
  )
  const folders = inputs.flat().flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set([...folders, ...BESIDE.map((name) => `node_modules/${name}`)])]
    .filter((folder) => !folder.includes('@panel/'))
    .sort()
}

/** Debian has the long ones once for all packages. */
const COMMON: Readonly<Record<string, string>> = {
  'Apache-2.0': 'On Debian systems the whole text is in /usr/share/common-licenses/Apache-2.0.',
}

/** A package without a text of its own names its licence alone. */
async function section(folder: string): Promise<string> {
  const at = join(ROOT, folder)
  const { name, version, license } = JSON.parse(await readFile(join(at, 'package.json'), 'utf8')) as Manifest
  if (typeof license !== 'string' || license === '') throw new Error(`${folder}/package.json names no licence`)
  const file = (await readdir(at)).find((entry) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(entry))
  const text = file === undefined ? '' : await readFile(join(at, file), 'utf8')
  const holders = text
    .split('\n')
    .filter((line) => /^\W*copyright\b.*\d{4}/i.test(line))
    .map((line) => line.trim())
  return `\nFiles: ${folder}/*\nComment: ${name} ${version}\nCopyright: ${holders.join('\n ') || `the authors of ${name}`}\nLicense: ${license}\n${continued(COMMON[license] ?? text)}`
}

/** Lines of a field that goes on: each begins with a blank, and an empty one is a dot. */
const continued = (text: string): string =>
  text.trim() === ''
    ? ''
    : text
        .trim()
        .split('\n')
        .map((line) => (line.trim() === '' ? ' .\n' : ` ${line.trimEnd()}\n`))
        .join('')

export const licences = async (bundle: string): Promise<string> =>
  (await Promise.all((await bundled(bundle)).map(section))).join('')
