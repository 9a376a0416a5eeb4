// What GET /system/health answers; before set-up only the names and states of its components (interface.md, System; decisions.md, Y7).
export type HealthStatus = 'ok' | 'degraded' | 'error' | 'unknown'

export interface HealthComponent {
  readonly name: string
  readonly status: HealthStatus
  readonly detail?: string
}

export interface HealthAnswer {
  readonly status: HealthStatus
  readonly setup_required: boolean
  readonly components: readonly HealthComponent[]
  readonly checked_at: string
  readonly version?: string
  readonly uptime_seconds?: number
}
