// What a command notes for its audit entry: the target, and what was done, step by step.
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'

export interface Actor {
  readonly user_id: number
  readonly username: string
  /** The session of the request, if it has one. */
  readonly session_id?: number | null
}

export class AuditNote {
  targetType = ''
  targetId: number | null = null
  /** Set if the actor is only known after the command has run, as in a sign-in. */
  by: Actor | null = null
  /** Set if one endpoint stands for several actions. */
  renamed: AuditAction | null = null
  /** The name of the file that says what is to be done, if one does. */
  file = ''
  readonly operations: string[] = []

  target(type: string, id: number | null): void {
    this.targetType = type
    this.targetId = id
  }

  operation(text: string): void {
    this.operations.push(text)
  }

  /** What has another name afterwards is found by both. */
  rename(from: string, to: string): void {
    if (from !== to) this.operation(`Renamed from "${from}" to "${to}"`)
  }

  actor(by: Actor): void {
    this.by = by
  }

  ofFile(name: string): void {
    this.file = name
  }

  action(action: AuditAction): void {
    this.renamed = action
  }
}
