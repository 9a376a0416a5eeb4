// What a command of a tunnel would have root do, as its impact is worked out from it.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'

export const foreseenOf = (changes: readonly Change<TunnelState>[], warnings: readonly Warning[]): Foreseen => ({
  changes: changes.map((change) => ({ noun: 'tunnel', change })),
  warnings,
})
