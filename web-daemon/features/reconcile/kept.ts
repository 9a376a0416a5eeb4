// What keeps a tunnel over a reboot, as the files of ours that are found under its name say.
import { PERSISTENCE_TYPES } from '@panel/shared/api/lookups.ts'
import { FILE_KINDS, type Saved } from '@panel/shared/tunnel/model.ts'
import { pathOf, type Folders } from '../tunnels/plan-view.ts'

/** A file of networkd's counts first: networkd has the link in its hands, and takes things from it where it must let go. */
export function keeperOf(saved: Saved | null): number {
  if (saved?.networkd_netdev || saved?.networkd_network) return PERSISTENCE_TYPES.Networkd
  return saved?.systemd_unit?.config ? PERSISTENCE_TYPES.Systemd : PERSISTENCE_TYPES.Runtime
}

export const pathsOf = (folders: Folders, interface_name: string, saved: Saved | null): string[] =>
  FILE_KINDS.filter((kind) => saved?.[kind]?.config).map((kind) => pathOf(folders, kind, interface_name))
