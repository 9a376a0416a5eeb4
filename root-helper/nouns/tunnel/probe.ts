// Sees tunnels: the links that the kernel holds joined with the files that would make them at boot.
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { FileKind, Saved } from '@panel/shared/tunnel/model.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import { savedFileName, parseFileName, isNetworkdKind } from '@panel/shared/tunnel/saved-file.ts'
import type { FoundLink, Kernel } from '../../kernel/facilities.ts'
import { savedFiles } from './execute.ts'
import { readFile } from './file-cache.ts'
import { markStopped } from './keepalives.ts'

/** Stands among the foreign files for all drop-ins of one of ours. */
const DROP_INS = '.d'

/** From this many names on it is quicker to list the folders than to look for four files of each name. */
const MANY = 50

/**
 * The given names, each exactly once and in that order; without names, every link of our kinds and every file of our
 * name.
 */
export async function probeTunnels(kernel: Kernel, names: readonly string[]): Promise<TunnelFound[]> {
  const isAll = names.length === 0
  const listed = isAll || names.length >= MANY ? await listFiles(kernel) : null
  const links = new Map((await kernel.links.list(isAll ? null : names)).map((found) => [found.interface_name, found]))
  const wanted = isAll ? [...new Set([...links.keys(), ...namesIn(listed?.there ?? [])])].sort() : names
  return markStopped(
    kernel,
    await Promise.all(wanted.map((name) => join(kernel, name, links.get(name) ?? null, listed))),
  )
}

export async function probeTunnel(kernel: Kernel, name: string): Promise<TunnelFound> {
  const [found] = await probeTunnels(kernel, [name])
  if (!found) throw new Error(`The probe of ${name} came back empty`)
  return found
}

/** Where the folders have been listed: the files that are there, and the units that are enabled. */
type Listed = { readonly there: ReadonlySet<string>; readonly enabled: ReadonlySet<string> } | null

async function listFiles({ units, networkd }: Kernel): Promise<NonNullable<Listed>> {
  return {
    there: new Set([...(await units.list()), ...(await networkd.list())]),
    enabled: new Set(await units.listEnabled()),
  }
}

const namesIn = (files: Iterable<string>): string[] =>
  [...files].flatMap((file) => parseFileName(file)?.interface_name ?? [])

async function join(
  kernel: Kernel,
  interface_name: string,
  found: FoundLink | null,
  listed: Listed,
): Promise<TunnelFound> {
  const live = { observed: found?.observed ?? null, unmodelled: found?.unmodelled ?? [] }
  // Foreign links may have names that our files cannot have.
  if (!parseFileName(savedFileName('systemd_unit', interface_name)))
    return { interface_name, state: null, is_ours: false, ...live, foreign_files: [] }
  const { saved, foreign_files } = await filesUnder(kernel, interface_name, listed)
  return {
    interface_name,
    state: canonicalTunnel({ interface_name, link: found?.link ?? null, saved }),
    is_ours: isOurs(kernel, found, saved),
    ...live,
    foreign_files,
  }
}

/** Where the record does not speak of it, a link is ours that a file of ours makes: at boot, or whenever that runs. */
function isOurs({ ownLinks }: Kernel, found: FoundLink | null, { systemd_unit, networkd_netdev }: Saved): boolean {
  if (!found?.link) return false
  const { config } = found.link
  const made = [systemd_unit?.config, networkd_netdev?.config]
  return ownLinks.says(found.observed.index) ?? made.some((one) => one && isBetweenSameEnds(one, config))
}

async function filesUnder(
  kernel: Kernel,
  interface_name: string,
  listed: Listed,
): Promise<{ saved: Saved; foreign_files: string[] }> {
  const foreign_files: string[] = []
  const probe = async <K extends FileKind>(kind: K): Promise<Saved[K]> => {
    const { content, is_enabled } = await fileUnder(kernel, kind, interface_name, listed)
    const read = content === null ? null : readFile(kind, interface_name, content, is_enabled)
    const name = savedFileName(kind, interface_name)
    if (content !== null && !read) foreign_files.push(name)
    if (content !== null && (await savedFiles(kernel, kind).isOverridden(name)))
      foreign_files.push(`${name}${DROP_INS}`)
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
  interface_name: string,
  listed: Listed,
): Promise<{ content: string | null; is_enabled: boolean }> {
  const name = savedFileName(kind, interface_name)
  if (listed)
    return {
      content: listed.there.has(name) ? await savedFiles(kernel, kind).read(name) : null,
      is_enabled: listed.enabled.has(name),
    }
  return {
    content: await savedFiles(kernel, kind).read(name),
    is_enabled: isNetworkdKind(kind) ? false : await kernel.units.isEnabled(name),
  }
}
