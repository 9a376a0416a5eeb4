// Sees tunnels: the links that the kernel holds joined with the unit files that would make them at boot.
import { canonicalTunnel } from '@panel/shared/model/canonical-tunnel.ts'
import type { TunnelFound } from '@panel/shared/model/observed.ts'
import type { SavedLink } from '@panel/shared/model/tunnel.ts'
import { readSystemdUnit } from '@panel/shared/read/systemd-unit.ts'
import { UNIT_NAME, unitNameOf } from '@panel/shared/render/systemd-unit.ts'
import type { FoundLink, Kernel, UnitFiles } from '../kernel/facilities.ts'

/** The given names, each exactly once and in that order; without names, every link of our kinds and every unit of our name. */
export async function probeTunnels(kernel: Kernel, names: readonly string[]): Promise<TunnelFound[]> {
  const links = new Map((await kernel.links.list(names.length > 0 ? names : null)).map((found) => [found.interface_name, found]))
  const wanted = names.length > 0 ? names : [...new Set([...links.keys(), ...(await namesOfUnits(kernel.units))])].sort()
  return Promise.all(wanted.map((name) => join(kernel.units, name, links.get(name) ?? null)))
}

export async function probeTunnel(kernel: Kernel, name: string): Promise<TunnelFound> {
  const [found] = await probeTunnels(kernel, [name])
  if (!found) throw new Error(`The probe of ${name} came back empty`)
  return found
}

async function namesOfUnits(units: UnitFiles): Promise<string[]> {
  return (await units.list()).flatMap((file) => UNIT_NAME.exec(file)?.[1] ?? [])
}

async function join(units: UnitFiles, interface_name: string, found: FoundLink | null): Promise<TunnelFound> {
  const file = unitNameOf(interface_name)
  const content = await units.read(file)
  const config = content === null ? null : readSystemdUnit(interface_name, content)
  const saved: SavedLink = { by: 'systemd', is_enabled: await units.isEnabled(file), config }
  return {
    interface_name,
    state: canonicalTunnel({ interface_name, link: found?.link ?? null, saved }),
    observed: found?.observed ?? null,
    unmodelled: found?.unmodelled ?? [],
    foreign_files: content !== null && !config ? [file] : [],
  }
}
