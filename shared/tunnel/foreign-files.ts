// Which foreign files a plan would run into. Pure.
import { savedFileName, parseFileName, isNetworkdKind } from './saved-file.ts'
import type { TunnelStep } from './step.ts'

/**
 * `foreign_files` have the names of our files for `interface_name`. A file blocks the plan if the plan writes, removes,
 * enables or disables it. Any file of networkd blocks it, since networkd configures the link now and at the next boot,
 * whatever the plan does.
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
