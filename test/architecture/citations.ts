// Finds what a document or comment names and the repository does not have: `npx tsx test/architecture/citations.ts`
// prints it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../../packaging/build/build.ts'
import { headingsIn, slugOf, type Heading } from './markdown.ts'

export interface Source {
  /** The path from the root of the repository. */
  readonly path: string
  readonly text: string
}

export interface Library {
  /** Tracked files. */
  readonly files: readonly string[]
  readonly reference: string
  readonly decisions: string
}

export interface Dangling {
  readonly path: string
  readonly line: number
  readonly what: string
}

const COMMENTED = /\.(ts|mts|mjs|cjs|js|svelte|sh|c|h)$/
/** Made by the build, or not a file at all. */
const NO_SOURCE_FILES = /^(\.build\/.*|(helper|web|tunnel-panel)\.cjs|[Nn]ode\.js|.*\.\.\..*)$/

/** The documents and the sources that have comments, as they are in the work tree. */
export function readSources(): { library: Library; sources: Source[] } {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && exists(path))
  const sources = files.filter((path) => path.endsWith('.md') || COMMENTED.test(path)).map(readSource)
  const text = (path: string) => readSource(path).text
  const library = { files, reference: text('shared/docs/reference.md'), decisions: text('shared/docs/decisions.md') }
  return { library, sources }
}

const readSource = (path: string): Source => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })

function exists(path: string): boolean {
  try {
    readFileSync(join(ROOT, path))
    return true
  } catch {
    return false
  }
}

/** What the source names and the library does not have, by line. */
export function danglingIn({ path, text }: Source, library: Library): Dangling[] {
  const isDocument = path.endsWith('.md')
  const lines = isDocument ? withoutFences(text.split('\n')) : text.split('\n').map(commentIn)
  return lines.flatMap((line, index) =>
    [
      ...decisionsCited(line, lines[index + 1]).filter((what) => !hasDecision(library.decisions, what)),
      ...sectionsCited(line, lines[index + 1]).filter((what) => !hasSection(library.reference, what)),
      ...pathsNamed(line, isDocument).filter((what) => !hasPath(library.files, path, what)),
      ...(isDocument ? linksIn(line).filter((what) => !hasTarget(library.files, path, text, what)) : []),
    ].map((what) => ({ path, line: index + 1, what })),
  )
}

/**
 * What follows each match that begins in the line: as far as the pattern reaches, into the next line too, since
 * comments are wrapped.
 */
function tails(pattern: RegExp, line: string, next = ''): string[] {
  return [...`${line} ${next.trim()}`.matchAll(pattern)]
    .filter(({ index }) => index <= line.length)
    .map(([, tail = '']) => tail)
}

/** `decisions.md, F24, S1 to S3` and `decisions.md, section 4: Warnings`, one item each. */
function decisionsCited(line: string, next?: string): string[] {
  return tails(/\bdecisions\.md[,:]? ([^;)`]*)/g, line, next).flatMap((tail) => [
    ...[...tail.matchAll(/\b([A-Z]\d{1,2})\b/g)].map((match) => String(match[1])),
    ...[...tail.matchAll(/\bsection (\d+)(?:: ([A-Z][A-Za-z ]+))?/g)].flatMap(([, number, title]) => [
      `Section ${number}`,
      ...(title === undefined ? [] : [title.trim()]),
    ]),
    ...[...tail.matchAll(/\bsettings ([a-z]+\.)\*/g)].map((match) => String(match[1])),
  ])
}

function hasDecision(decisions: string, what: string): boolean {
  if (/^[A-Z]\d+$/.test(what)) return decisions.includes(`\n- **${what}** `)
  return what.startsWith('Section ') ? decisions.includes(`\n## ${what}: `) : decisions.includes(what)
}

/** `reference.md, Tunnels, Events: Ping; …`, one item each. */
function sectionsCited(line: string, next?: string): string[] {
  return tails(/\breference\.md(?:[,:]| on) (?=[A-Z/a-z])((?:[^;()`]|\([^()]*\))*)/g, line, next).flatMap((tail) =>
    tail
      .replace(/(\.|\*\/|:)\s.*$|[.:]$/, (rest) => (/^: [A-Z]/.test(rest) ? rest : ''))
      .split(/, (?:and )?| and /)
      .map((item) => item.replace(/\s*\*\/.*$|[.'"]+$/g, '').trim())
      .filter((item) => item !== '' && !/^decisions\.md/.test(item)),
  )
}

const ENDPOINT = /^(GET|POST|PUT|PATCH|DELETE) (.*)$/

function hasSection(reference: string, what: string): boolean {
  const [, method, path = ''] = ENDPOINT.exec(what) ?? []
  if (method !== undefined) return path.startsWith('/') ? reference.includes(`\`${what}\``) : reference.includes(path)
  const [, title = what, first, last] = /^(.*?) (\d+)(?: to (\d+))?$/.exec(what) ?? []
  const [, heading = title, part = ''] = /^(.*?): (.*)$/.exec(title) ?? []
  const section = sectionOf(reference, heading)
  if (section === null) return /^[a-z/]/.test(what) && reference.includes(what)
  if (!section.includes(part)) return false
  return [first, last].every((number) => number === undefined || section.includes(`\n${number}. `))
}

/** The text under a heading, up to the next one of its rank. */
function sectionOf(text: string, title: string): string | null {
  const headings = headingsIn(text)
  const at = headings.findIndex((heading) => heading.title.toLowerCase() === title.toLowerCase())
  const found = headings[at]
  if (!found) return null
  const next = headings.slice(at + 1).find((heading: Heading) => heading.rank <= found.rank)
  return text
    .split('\n')
    .slice(found.line - 1, next && next.line - 1)
    .join('\n')
}

const FILE =
  /(?<![\w@$*{}<>./\\:-])((?:\.{1,2}\/)?(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|mts|mjs|cjs|svelte|md|sh))(?![\w*/-])/g
const FOLDER = /`((?:[\w.-]+\/)+)`/g

const pathsNamed = (line: string, isDocument: boolean): string[] =>
  [...line.matchAll(FILE), ...(isDocument ? line.matchAll(FOLDER) : [])]
    .map((match) => String(match[1]))
    .filter((path) => !NO_SOURCE_FILES.test(path))

/**
 * Whether there is such a file: the path as written, a path beside the file that names it, or the end of a path, so
 * that `queue.ts` is enough for a reader in its room.
 */
function hasPath(files: readonly string[], from: string, path: string): boolean {
  const candidates = [normalize(path), normalize(join(dirname(from), path))]
  return files.some((file) =>
    path.endsWith('/')
      ? candidates.some((folder) => file.startsWith(folder)) || `/${file}`.includes(`/${path}`)
      : candidates.includes(file) || file.endsWith(`/${path}`),
  )
}

const linksIn = (line: string): string[] =>
  [...line.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => String(match[1])).filter((target) => !/^[a-z]+:/.test(target))

function hasTarget(files: readonly string[], from: string, text: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? from : normalize(join(dirname(from), path))
  if (!files.some((other) => other === file || other.startsWith(`${file.replace(/\/$/, '')}/`))) return false
  const there = path === '' ? text : file.endsWith('.md') ? readSource(file).text : ''
  return anchor === undefined || headingsIn(there).some(({ title }) => slugOf(title) === anchor)
}

/** Code in a document shows what a person types; lines keep their numbers. */
function withoutFences(lines: readonly string[]): string[] {
  let isCode = false
  return lines.map((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return isCode || isFence ? '' : line
  })
}

/** What of a line of source is a comment, roughly: enough to tell it from imports and from strings. */
function commentIn(line: string): string {
  const [, text = ''] =
    /(?:^\s*(?:\/\*\*?|\*|\/\/|#(?!include|!|define)|<!--)|\s\/\/ |[;{,)]\s*\/\*)(.*)$/.exec(line) ?? []
  return text
}

export function everyDangling(): Dangling[] {
  const { library, sources } = readSources()
  return sources.flatMap((source) => danglingIn(source, library))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const found = everyDangling()
  for (const { path, line, what } of found) console.log(`${path}:${line}: ${what}`)
  process.exitCode = found.length === 0 ? 0 : 1
}
