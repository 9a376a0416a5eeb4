// Starts iptables and ip6tables of one variant with fixed arguments; the text that goes in was rendered by root, and
// none of it comes from the socket.
import { message } from '@panel/shared/messages/message.ts'
import type { Family } from '@panel/shared/address/ip.ts'
import type { IptablesBackend } from '@panel/shared/ruleset/backend.ts'
import { TABLES, type TableName } from '@panel/shared/ruleset/iptables/tables.ts'
import { messageOf, oneLine } from '../../text.ts'
import { KernelError } from '../../kernel-error.ts'
import { findTool, type BackendAnswer } from '../host/facts.ts'
import { kernelTables } from '../nft/kernel-tables.ts'
import { cutShort, hasCrashed, readAgain, runProgram } from '../program/program.ts'

/** Seconds that one waits for another that has the lock; iptables-legacy has one for the whole host. */
const WAIT = '10'

interface Programs {
  readonly list: string
  readonly save: string
  readonly restore: string
}

export class Iptables {
  readonly backend: IptablesBackend
  readonly #version: string
  readonly #programs: Readonly<Record<Family, Programs | null>>

  constructor(backend: IptablesBackend, version: string, programs: Readonly<Record<Family, Programs | null>>) {
    this.backend = backend
    this.#version = version
    this.#programs = programs
  }

  get hasIpv6(): boolean {
    return this.#programs[6] !== null
  }

  async answers(): Promise<BackendAnswer> {
    const programs = this.#programs[4]
    const detail = programs ? await whyUnusable(programs).catch(detailOf) : 'iptables is not installed'
    return { available: detail === null, version: this.#version, detail: detail ?? '' }
  }

  /** Table by table, each whole or not at all. */
  async restore(family: Family, text: string): Promise<void> {
    await run(this.#program(family).restore, ['--noflush', '--wait', WAIT], text)
  }

  /** Read and thrown away. */
  async test(family: Family, text: string): Promise<void> {
    await run(this.#program(family).restore, ['--noflush', '--test', '--wait', WAIT], text)
  }

  /** All tables of the family; nothing where it is not there. */
  save = async (family: Family): Promise<string> => {
    const programs = this.#programs[family]
    return programs ? saveWhole(programs, this.backend, family) : ''
  }

  /**
   * The table that counts, with what its lines have counted. This way iptables-legacy has the lock: while a table is
   * exchanged its counters are not yet what they were.
   */
  listCounted = async (family: Family, table: TableName = 'mangle'): Promise<string> =>
    this.#programs[family]
      ? readAgain(() => run(this.#program(family).list, ['--wait', WAIT, '-t', table, '-S', '-v'], ''))
      : ''

  /** One chain of the table that relays. */
  listChain = async (family: Family, chain: string): Promise<string> =>
    readAgain(() => run(this.#program(family).list, ['--wait', WAIT, '-t', 'nat', '-S', chain], ''))

  #program(family: Family): Programs {
    const programs = this.#programs[family]
    if (!programs) throw new KernelError('EOPNOTSUPP', message('root.no_ipv6_rules').message)
    return programs
  }
}

/**
 * One table, or all that there are. A listing that ends early, or that lacks a table of the kernel, is that of a program
 * that failed.
 */
const saveWhole = (
  { save }: Programs,
  backend: IptablesBackend,
  family: Family,
  only: string | null = null,
): Promise<string> =>
  readAgain(async () => {
    const names = only === null ? await kernelTables(backend, family) : [only]
    const saved = await run(save, only === null ? [] : ['-t', only], '')
    const isNamed = (name: string): boolean =>
      saved.includes(`*${name}\n`) || saved.includes(`\`${name}' is incompatible`)
    const isWhole = count(saved, /^\*/gm) === count(saved, /^COMMIT$/gm) && names.filter(isListed).every(isNamed)
    if (!isWhole) throw cutShort(save)
    return saved
  })

/** Tables of other software may have names that iptables never lists. */
const isListed = (name: string): boolean => TABLES.some((ours) => ours === name)

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** One table of iptables-legacy, or all that there are. Throws a KernelError if it is not installed, or fails. */
export async function saveLegacy(family: Family, only: string | null): Promise<string> {
  const programs = await findPrograms(family === 4 ? 'iptables' : 'ip6tables', 'legacy')
  if (!programs) throw new KernelError('ENOENT', message('root.no_legacy').message)
  return saveWhole(programs, 'iptables_legacy', family, only)
}

const variantOf = (backend: IptablesBackend): 'nft' | 'legacy' => (backend === 'iptables_nft' ? 'nft' : 'legacy')

/**
 * A string says why this host lacks the variant, or the kernel one of its tables. Throws a KernelError if one of its
 * programs crashed, which says neither.
 */
export async function openIptables(backend: IptablesBackend): Promise<Iptables | string> {
  const variant = variantOf(backend)
  const four = await findPrograms('iptables', variant)
  if (!four) return message('root.no_variant', { variant }).message
  const refused = await whyUnusable(four)
  if (refused !== null) return refused
  const six = await findPrograms('ip6tables', variant)
  return new Iptables(
    backend,
    oneLine(await readAgain(() => run(four.list, ['--version'], '')))
      .slice(0, 60)
      .trim(),
    { 4: four, 6: six && (await whyUnusable(six)) === null ? six : null },
  )
}

/** Looking makes the kernel load the table. Throws if the program crashed. */
async function whyUnusable({ save }: Programs): Promise<string | null> {
  try {
    for (const table of TABLES) await readAgain(() => run(save, ['-t', table], ''))
    return null
  } catch (error) {
    if (error instanceof KernelError && !hasCrashed(error)) return error.message.slice(0, 300)
    throw error
  }
}

const detailOf = (error: unknown): string => messageOf(error).slice(0, 300)

/** The variant that the plain name stands for on this host; null where there is none. Before 1.8 there was only one. */
export async function defaultVariant(): Promise<IptablesBackend | null> {
  const path = findTool('iptables')
  return path === null
    ? null
    : (await readAgain(() => run(path, ['--version'], ''))).includes('(nf_tables)')
      ? 'iptables_nft'
      : 'iptables_legacy'
}

async function findPrograms(name: 'iptables' | 'ip6tables', variant: 'nft' | 'legacy'): Promise<Programs | null> {
  const named = await findProgramsNamed(`${name}-${variant}`)
  if (named || (await defaultVariant()) !== `iptables_${variant}`) return named
  return findProgramsNamed(name)
}

async function findProgramsNamed(name: string): Promise<Programs | null> {
  const [list, save, restore] = [name, `${name}-save`, `${name}-restore`].map(findTool)
  return list && save && restore ? { list, save, restore } : null
}

const ERRNO: readonly [RegExp, string][] = [
  [/Permission denied|you must be root/, 'EPERM'],
  [/resource temporarily unavailable|holding the xtables lock/i, 'EBUSY'],
  [/No chain\/target\/match|does not exist|No such file/, 'ENOENT'],
]

const run = (path: string, args: readonly string[], input: string): Promise<string> =>
  runProgram(path, args, input, (stderr, status) => {
    const what = stderr.trim() || `it ended with ${status}`
    return new KernelError(
      ERRNO.find(([pattern]) => pattern.test(stderr))?.[1] ?? 'EINVAL',
      oneLine(`${path.split('/').at(-1)}: ${what.slice(0, 600)}${lineAtFault(stderr, input)}`),
    )
  })

/** The restore programs report only a line number, which is useless without the text. */
function lineAtFault(stderr: string, input: string): string {
  const number = Number(/line:? ([0-9]+)/.exec(stderr)?.[1])
  const line = number > 0 ? input.split('\n')[number - 1] : undefined
  return line ? ` in "${line.slice(0, 300)}"` : ''
}
