// The steps of a plan that concern files. Files for boot are removed before the link is touched and written once it
// exists, so that a crash in between never leaves a file for a link that was not created. Pure.
import { FILE_KINDS, type FileKind, type Saved, type SavedFile } from './model.ts'
import { isNetworkdKind, UNIT_KINDS } from './saved-file.ts'
import { sameState } from '../change/change.ts'
import type { NamelessStep, UnitKind } from './step.ts'

type File = Saved[FileKind]

const fileIn = (saved: Saved | null, kind: FileKind): File => saved?.[kind] ?? null
const isUnit = (kind: FileKind): kind is UnitKind => (UNIT_KINDS as readonly FileKind[]).includes(kind)

/**
 * Whether networkd manages the link and stops doing so. It then removes from the link what it configured, so only a new
 * link is certain to have everything that is wanted.
 */
export const isLetGo = (found: Saved | null, wanted: Saved | null): boolean =>
  fileIn(found, 'networkd_network') !== null && fileIn(wanted, 'networkd_network') === null

/**
 * The files that stay while the link is changed. While a link is created, networkd must hold no file for it, or both
 * would configure it at once; and its keepalive is stopped, to be started again with it.
 */
function kept(found: Saved | null, wanted: Saved | null, kind: FileKind, isBorn: boolean): File {
  const [was, shall] = [fileIn(found, kind), fileIn(wanted, kind)]
  if (!was || !shall) return null
  if (isNetworkdKind(kind)) return isBorn ? null : was.is_enabled && !shall.is_enabled ? shall : was
  const isEnabled = was.is_enabled && shall.is_enabled && !(isBorn && kind === 'systemd_keepalive_unit')
  return { ...was, is_enabled: isEnabled, config: shall.config && was.config } as File
}

export function forgetSteps(found: Saved | null, wanted: Saved | null, isBorn: boolean): NamelessStep[] {
  return thenReload(FILE_KINDS.flatMap((kind) => steps(kind, fileIn(found, kind), kept(found, wanted, kind, isBorn))))
}

export function saveSteps(found: Saved | null, wanted: Saved | null, isBorn: boolean): NamelessStep[] {
  return thenReload(FILE_KINDS.flatMap((kind) => steps(kind, kept(found, wanted, kind, isBorn), fileIn(wanted, kind))))
}

function steps(kind: FileKind, from: File, to: File): NamelessStep[] {
  if (sameState(from, to)) return []
  const enabling = (is_enabled: boolean): NamelessStep[] =>
    isUnit(kind) ? [{ kind: is_enabled ? 'systemd_enable' : 'systemd_disable', file: kind }] : []
  const body = isUnit(kind) ? [from?.config ?? null, to?.config ?? null] : [from, to]
  return [
    ...(from?.is_enabled && !to?.is_enabled ? enabling(false) : []),
    ...(from?.config && !to?.config ? [{ kind: 'file_remove', file: kind } as const] : []),
    ...(to?.config && !sameState(body[0], body[1])
      ? [
          {
            kind: 'file_write',
            saved: { file: kind, is_enabled: to.is_enabled, config: to.config } as SavedFile,
          } as const,
        ]
      : []),
    ...(to?.is_enabled && (!from?.is_enabled || isStopped(from)) ? enabling(true) : []),
  ]
}

/** An enabled unit without a file does not run either, and nothing starts it once it has one. */
const isStopped = (file: NonNullable<File>): boolean => 'is_stopped' in file || !file.config

/** Adds the reload of networkd as a step of the plan; the writers of units reload systemd themselves. */
function thenReload(planned: NamelessStep[]): NamelessStep[] {
  const isForNetworkd = planned.some(
    (step) =>
      (step.kind === 'file_write' && isNetworkdKind(step.saved.file)) ||
      (step.kind === 'file_remove' && isNetworkdKind(step.file)),
  )
  return isForNetworkd ? [...planned, { kind: 'networkd_reload' }] : planned
}
