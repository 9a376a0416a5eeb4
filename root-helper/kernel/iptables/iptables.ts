// Starts iptables and ip6tables of one variant, by fixed arguments; text goes in that root rendered itself, and nothing that ever came over the socket.
import type { Family } from '@panel/shared/address/ip.ts'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { oneLine } from '../../text.ts'
import { KernelError } from '../../kernel-error.ts'
import { findTool, type BackendAnswer } from '../host/facts.ts'
import { runProgram } from '../program/program.ts'

export type IptablesBackend = Extract<RuleBackend, `iptables_${string}`>

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
    const detail = programs ? await whyNot(programs) : 'iptables is not installed'
    return { available: detail === null, version: this.#version, detail: detail ?? '' }
  }

  /** Table by table, each whole or not at all. */
  async restore(family: Family, text: string): Promise<void> {
    await run(this.#of(family).restore, ['--noflush', '--wait', WAIT], text)
  }

  /** All tables of the family; nothing where it is not there. */
  save = async (family: Family): Promise<string> => (this.#programs[family] ? run(this.#of(family).save, [], '') : '')

  /** The table that counts, with what its lines have counted. This way iptables-legacy has the lock: while a table is exchanged its counters are not yet what they were. */
  listCounted = async (family: Family): Promise<string> =>
    this.#programs[family] ? run(this.#of(family).list, ['--wait', WAIT, '-t', 'mangle', '-S', '-v'], '') : ''

  #of(family: Family): Programs {
    const programs = this.#programs[family]
    if (!programs)
      throw new KernelError('EOPNOTSUPP', 'ip6tables does not work on this host, so it can hold no rule of IPv6')
    return programs
  }
}

/** Says why where this host has no such variant, or the kernel none of its tables. */
export async function openIptables(backend: IptablesBackend): Promise<Iptables | string> {
  const variant = backend === 'iptables_nft' ? 'nft' : 'legacy'
  const four = await programsOf('iptables', variant)
  if (!four) return `iptables of the variant ${variant} is not installed`
  const refused = await whyNot(four)
  if (refused !== null) return refused
  const six = await programsOf('ip6tables', variant)
  return new Iptables(
    backend,
    oneLine(await run(four.list, ['--version'], ''))
      .slice(0, 60)
      .trim(),
    { 4: four, 6: six && (await whyNot(six)) === null ? six : null },
  )
}

/** Looking makes the kernel load the table. */
async function whyNot({ save }: Programs): Promise<string | null> {
  try {
    for (const table of ['mangle', 'nat']) await run(save, ['-t', table], '')
    return null
  } catch (error) {
    if (error instanceof KernelError) return error.message.slice(0, 300)
    throw error
  }
}

/** The variant that the plain name stands for on this host; null where there is none. Before 1.8 there was but one. */
export async function defaultVariant(): Promise<IptablesBackend | null> {
  const path = await findTool('iptables')
  return path === null
    ? null
    : (await run(path, ['--version'], '')).includes('(nf_tables)')
      ? 'iptables_nft'
      : 'iptables_legacy'
}

async function programsOf(name: 'iptables' | 'ip6tables', variant: 'nft' | 'legacy'): Promise<Programs | null> {
  const named = await programsNamed(`${name}-${variant}`)
  if (named || (await defaultVariant()) !== `iptables_${variant}`) return named
  return programsNamed(name)
}

async function programsNamed(name: string): Promise<Programs | null> {
  const [list, save, restore] = await Promise.all([name, `${name}-save`, `${name}-restore`].map(findTool))
  return list && save && restore ? { list, save, restore } : null
}

const ERRNO: readonly [RegExp, string][] = [
  [/Permission denied|you must be root/, 'EPERM'],
  [/resource temporarily unavailable|holding the xtables lock/i, 'EBUSY'],
  [/No chain\/target\/match|does not exist|No such file/, 'ENOENT'],
]

const run = (path: string, args: readonly string[], input: string): Promise<string> =>
  runProgram(path, args, input, (said, status) => {
    const what = said.trim() || `it ended with ${status}`
    return new KernelError(
      ERRNO.find(([pattern]) => pattern.test(said))?.[1] ?? 'EINVAL',
      oneLine(`${path.split('/').at(-1)}: ${what.slice(0, 600)}${lineAtFault(said, input)}`),
    )
  })

/** The restore variants tell a number, which nobody can count who has not the text. */
function lineAtFault(said: string, input: string): string {
  const number = Number(/line:? ([0-9]+)/.exec(said)?.[1])
  const line = number > 0 ? input.split('\n')[number - 1] : undefined
  return line ? ` in "${line.slice(0, 300)}"` : ''
}
