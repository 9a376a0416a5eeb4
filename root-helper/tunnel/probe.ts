// Sees tunnels: the links that the kernel holds joined with the files that would make them at boot.
import { canonicalTunnel } from '@panel/shared/model/canonical-tunnel.ts'
import type { TunnelFound } from '@panel/shared/model/observed.ts'
import type { FileKind, Saved } from '@panel/shared/model/tunnel.ts'
import { READ } from '@panel/shared/read/saved-file.ts'
import { fileNameOf, fileOf, isNetworkdKind } from '@panel/shared/render/saved-file.ts'
import type { FoundLink, Kernel } from '../kernel/facilities.ts'
import { filesOf } from './execute.ts'

/** The given names, each exactly once and in that order; without names, every link of our kinds and every file of our name. */
export async function probeTunnels(kernel: Kernel, names: readonly string[]): Promise<TunnelFound[]> {
  const links = new Map((await kernel.links.list(names.length > 0 ? names : null)).map((found) => [found.interface_name, found]))
  const wanted = names.length > 0 ? names : [...new Set([...links.keys(), ...(await namesOfFiles(kernel))])].sort()
  return Promise.all(wanted.map((name) => join(kernel, name, links.get(name) ?? null)))
}

export async function probeTunnel(kernel: Kernel, name: string): Promise<TunnelFound> {
  const [found] = await probeTunnels(kernel, [name])
  if (!found) throw new Error(`The probe of ${name} came back empty`)
  return found
}

async function namesOfFiles({ units, networkd }: Kernel): Promise<string[]> {
  const files = [...(await units.list()), ...(await networkd.list())]
  return files.flatMap((file) => fileOf(file)?.interface_name ?? [])
}

async function join(kernel: Kernel, interface_name: string, found: FoundLink | null): Promise<TunnelFound> {
  const { saved, foreign_files } = await filesUnder(kernel, interface_name)
  return {
    interface_name,
    state: canonicalTunnel({ interface_name, link: found?.link ?? null, saved }),
    observed: found?.observed ?? null,
    unmodelled: found?.unmodelled ?? [],
    foreign_files,
  }
}

async function filesUnder(kernel: Kernel, interface_name: string): Promise<{ saved: Saved; foreign_files: string[] }> {
  const foreign_files: string[] = []
  const look = async <K extends FileKind>(kind: K): Promise<Saved[K]> => {
    const { content, is_enabled } = await fileUnder(kernel, kind, interface_name)
    const read = content === null ? null : READ[kind](interface_name, content, is_enabled)
    if (content !== null && !read) foreign_files.push(fileNameOf(kind, interface_name))
    // Enabled, but there is no file of ours to enable.
    return read ?? (is_enabled ? ({ is_enabled, config: null } as Saved[K]) : null)
  }
  const saved = {
    systemd_unit: await look('systemd_unit'),
    systemd_keepalive_unit: await look('systemd_keepalive_unit'),
    networkd_netdev: await look('networkd_netdev'),
    networkd_network: await look('networkd_network'),
  }
  return { saved, foreign_files }
}

async function fileUnder(kernel: Kernel, kind: FileKind, interface_name: string): Promise<{ content: string | null; is_enabled: boolean }> {
  const name = fileNameOf(kind, interface_name)
  return { content: await filesOf(kernel, kind).read(name), is_enabled: isNetworkdKind(kind) ? false : await kernel.units.isEnabled(name) }
}
