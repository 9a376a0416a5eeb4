// Sees tunnels: the links that the kernel holds joined with the files that would make them at boot.
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { FileKind, LinkState, Saved, TunnelState } from '@panel/shared/tunnel/model.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import { savedFileName, parseFileName, isNetworkdKind } from '@panel/shared/tunnel/saved-file.ts'
import type { Kernel, SeenLink } from '../../kernel/facilities.ts'
import { madeOnce } from '@panel/shared/made-once.ts'
import { savedFiles } from './execute.ts'
import { readFile } from './file-cache.ts'
import { answersFound } from './answers.ts'
import { markStopped } from './keepalives.ts'

/** Stands among the foreign files for all drop-ins of one of ours. */
const DROP_INS = '.d'

/** The number of names above which listing the folders is quicker than looking for four files of each name. */
const MANY = 50

type Answers = TunnelState['answers']
type StateOf = (interface_name: string, link: LinkState | null, saved: Saved, answers: Answers) => TunnelState | null
const stateOf: StateOf = (interface_name, link, saved, answers) =>
  canonicalTunnel({ interface_name, link, saved, ...(answers && { answers }) })
const states = madeOnce<TunnelState | null>()

/**
 * The given names, each exactly once and in that order; without names, every link of our kinds and every file of our
 * name.
 */
export const probeTunnels = (kernel: Kernel, names: readonly string[]): Promise<TunnelFound[]> =>
  see(kernel, names, () => kernel.links.list(names.length === 0 ? null : names), stateOf)

/** Reads all tunnels without counters. Returns the previous object of a state that has not changed. */
export const seeAllTunnels = (kernel: Kernel): Promise<Seen<SeenLink>[]> =>
  see(
    kernel,
    [],
    () => kernel.links.listUncounted(null),
    (name, link, saved, answers) =>
      states(name, [link, ...Object.values(saved), answers?.is_whole], () => stateOf(name, link, saved, answers)),
  )

type Seen<L extends SeenLink> = Omit<TunnelFound, 'observed'> & { readonly observed: L['observed'] | null }

async function see<L extends SeenLink>(
  kernel: Kernel,
  names: readonly string[],
  list: () => Promise<L[]>,
  state: StateOf,
): Promise<Seen<L>[]> {
  const isAll = names.length === 0
  const listed = isAll || names.length >= MANY ? await listFiles(kernel) : null
  const links = new Map((await list()).map((found) => [found.interface_name, found]))
  const wanted = isAll ? [...new Set([...links.keys(), ...namesIn(listed?.there ?? [])])].sort() : names
  const answers = await answersFound(kernel)
  const stateWith =
    (name: string) =>
    (link: LinkState | null, saved: Saved): TunnelState | null =>
      state(name, link, saved, answers.get(name))
  return markStopped(
    kernel,
    await Promise.all(wanted.map((name) => join(kernel, name, links.get(name) ?? null, listed, stateWith(name)))),
  )
}

export async function probeTunnel(kernel: Kernel, name: string): Promise<TunnelFound> {
  const [found] = await probeTunnels(kernel, [name])
  if (!found) throw new Error(`The probe of ${name} came back empty`)
  return found
}

/**
 * What a listing of the folders found: the files that exist, that have drop-ins, and that are enabled. Null if they
 * were not listed.
 */
type Listed = Readonly<Record<'there' | 'overridden' | 'enabled', ReadonlySet<string>>> | null

async function listFiles({ units, networkd }: Kernel): Promise<NonNullable<Listed>> {
  return {
    there: new Set([...(await units.list()), ...(await networkd.list())]),
    overridden: new Set([...(await units.listOverridden()), ...(await networkd.listOverridden())]),
    enabled: new Set(await units.listEnabled()),
  }
}

const namesIn = (files: Iterable<string>): string[] =>
  [...files].flatMap((file) => parseFileName(file)?.interface_name ?? [])

async function join<L extends SeenLink>(
  kernel: Kernel,
  interface_name: string,
  found: L | null,
  listed: Listed,
  stateOf: (link: LinkState | null, saved: Saved) => TunnelState | null,
): Promise<Seen<L>> {
  const live = { observed: found?.observed ?? null, unmodelled: [...(found?.unmodelled ?? [])] }
  // Foreign links may have names that our files cannot have.
  if (!parseFileName(savedFileName('systemd_unit', interface_name)))
    return { interface_name, state: null, is_ours: false, ...live, foreign_files: [] }
  const { saved, foreign_files } = await filesUnder(kernel, interface_name, listed)
  return {
    interface_name,
    state: stateOf(found?.link ?? null, saved),
    is_ours: isOurs(kernel, found, saved),
    ...live,
    foreign_files,
  }
}

/**
 * Whether a link is ours. One that the record does not mention is ours if a file of ours makes it, at boot or whenever
 * that runs.
 */
function isOurs({ ownLinks }: Kernel, found: SeenLink | null, { systemd_unit, networkd_netdev }: Saved): boolean {
  if (!found?.link) return false
  const { config } = found.link
  const made = [systemd_unit?.config, networkd_netdev?.config]
  return ownLinks.isOwn(found.observed.index) ?? made.some((one) => one && isBetweenSameEnds(one, config))
}

async function filesUnder(
  kernel: Kernel,
  interface_name: string,
  listed: Listed,
): Promise<{ saved: Saved; foreign_files: string[] }> {
  const foreign_files: string[] = []
  const probe = async <K extends FileKind>(kind: K): Promise<Saved[K]> => {
    const name = savedFileName(kind, interface_name)
    if (listed && !listed.there.has(name) && !listed.enabled.has(name)) return null as Saved[K]
    const { content, is_enabled, isOverridden } = await fileUnder(kernel, kind, name, listed)
    const read = content === null ? null : readFile(kind, interface_name, content, is_enabled)
    if (content !== null && !read) foreign_files.push(name)
    if (content !== null && isOverridden) foreign_files.push(`${name}${DROP_INS}`)
    // Enabled, but the unit file is missing.
    return read ?? (is_enabled ? ({ is_enabled, config: null } as Saved[K]) : null)
  }
  const saved = {
    systemd_unit: await probe('systemd_unit'),
    systemd_keepalive_unit: await probe('systemd_keepalive_unit'),
    networkd_netdev: await probe('networkd_netdev'),
    networkd_network: await probe('networkd_network'),
  }
  return { saved, foreign_files }
}

async function fileUnder(
  kernel: Kernel,
  kind: FileKind,
  name: string,
  listed: Listed,
): Promise<{ content: string | null; is_enabled: boolean; isOverridden: boolean }> {
  if (listed)
    return {
      content: listed.there.has(name) ? await savedFiles(kernel, kind).read(name) : null,
      is_enabled: listed.enabled.has(name),
      isOverridden: listed.overridden.has(name),
    }
  return {
    content: await savedFiles(kernel, kind).read(name),
    is_enabled: isNetworkdKind(kind) ? false : await kernel.units.isEnabled(name),
    isOverridden: await savedFiles(kernel, kind).isOverridden(name),
  }
}
