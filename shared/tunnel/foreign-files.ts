// Which files of others a plan would run into. Pure.
import { savedFileName, parseFileName, isNetworkdKind } from './saved-file.ts'
import type { TunnelStep } from './step.ts'

/**
 * `foreign_files` stand in the place of ours under `interface_name`. One that the plan writes, removes, enables or disables is in its way;
 * and so is any of networkd's, which works on the link, now and at the next boot, whatever the plan does.
 */
export function foreignInTheWay(
  interface_name: string,
  foreign_files: readonly string[],
  steps: readonly TunnelStep[],
): string[] {
  const own = steps.filter((step) => step.interface_name === interface_name)
  const touched = own.map(fileTouchedBy)
  return foreign_files.filter((file) => touched.includes(file) || (own.length > 0 && isOfNetworkd(file)))
}

function isOfNetworkd(file: string): boolean {
  const kind = parseFileName(file)?.kind
  return kind !== undefined && isNetworkdKind(kind)
}

function fileTouchedBy(step: TunnelStep): string | null {
  const kind = step.kind === 'file_write' ? step.saved.file : 'file' in step ? step.file : null
  return kind && savedFileName(kind, step.interface_name)
}
