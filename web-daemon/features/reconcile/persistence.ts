// Which of our files keep a tunnel over a reboot, as they are found on the host.
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import { FILE_KINDS, type Saved } from '@panel/shared/tunnel/model.ts'
import { pathOf, type Folders } from '../tunnels/plan-view.ts'

/** A file of networkd's counts first: networkd manages that link. */
export function persistenceTypeOf(saved: Saved | null): number {
  if (saved?.networkd_netdev || saved?.networkd_network) return PERSISTENCE_TYPES.Networkd
  return saved?.systemd_unit?.config ? PERSISTENCE_TYPES.Systemd : PERSISTENCE_TYPES.Runtime
}

export const pathsOf = (folders: Folders, interface_name: string, saved: Saved | null): string[] =>
  FILE_KINDS.filter((kind) => saved?.[kind]?.config).map((kind) => pathOf(folders, kind, interface_name))
