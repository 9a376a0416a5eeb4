// Names that older set-ups gave their tunnels, with what such a name says (decisions.md, S12).
import type { LegacyName } from '@panel/shared/api/reconcile.ts'

const LEGACY = /^gre-([a-z]{2})-(\d+)$/

export const isLegacy = (interface_name: string): boolean => LEGACY.test(interface_name)

/** Null where the name is none of them. */
export function legacyOf(
  interface_name: string,
  unit: Pick<LegacyName, 'unit_path' | 'is_panel_owned'>,
): LegacyName | null {
  const [, marker, digits] = LEGACY.exec(interface_name) ?? []
  return marker === undefined ? null : { tunnel_number: Number(digits), marker, ...unit }
}
