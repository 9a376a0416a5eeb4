// The state that the last probes alone suggest (decisions.md, S3, S4).
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'

export interface Verdict {
  readonly state: MonitorState
  /** A sentence for the operator; never empty. */
  readonly reason: string
}

export interface Thresholds {
  /** How many samples in a row must agree to change the state. */
  readonly state_change_samples: number
  /** How many probes must be decided before there is a verdict. */
  readonly decided_least: number
  readonly degraded_loss_percent: number
  readonly down_loss_percent: number
  /** Null: latency never counts as degraded. */
  readonly degraded_rtt_ms: number | null
}

/** The figures of a window that a verdict needs. */
export interface ProbeStats {
  readonly decided: number
  readonly received: number
  readonly lossPercent: number | null
  readonly averageRttMs: number | null
}

/** The result of a TCP probe of the peer; null if there was none. */
export interface TcpProbeResult {
  readonly isAlive: boolean
  readonly detail: string
}

/** So many probes are lost that it counts as down, unless a TCP probe shows that the peer is alive. */
export function isLost(
  { decided, lossPercent }: ProbeStats,
  { decided_least, down_loss_percent }: Thresholds,
): boolean {
  return decided >= decided_least && lossPercent !== null && lossPercent >= down_loss_percent
}

/** `stats`: of the probes to `target`. `detail`: the error of the newest lost probe, or "". */
export interface Evidence {
  readonly stats: ProbeStats
  readonly target: string
  readonly detail: string
  readonly tcpProbe: TcpProbeResult | null
}

export function classify({ stats, target, detail, tcpProbe }: Evidence, thresholds: Thresholds): Verdict {
  const { decided, received, lossPercent, averageRttMs } = stats
  if (decided < thresholds.decided_least || lossPercent === null)
    return {
      state: 'Unknown',
      reason: `Too few probes are answered or lost yet: ${decided} of ${thresholds.decided_least}`,
    }
  if (received === 0 && tcpProbe?.isAlive)
    return { state: 'Degraded', reason: `${target} answers TCP but not ICMP (${tcpProbe.detail})` }
  const loss = `${percent(lossPercent)} of the last ${decided} probes to ${target} are lost`
  const lastError = detail === '' ? '' : `; the last time: ${detail}`
  if (isLost(stats, thresholds)) {
    const tcp = tcpProbe ? `; ${tcpProbe.isAlive ? 'it answers TCP' : 'TCP'}: ${tcpProbe.detail}` : ''
    return { state: tcpProbe?.isAlive ? 'Degraded' : 'Down', reason: `${loss}${lastError}${tcp}` }
  }
  if (lossPercent >= thresholds.degraded_loss_percent)
    return {
      state: 'Degraded',
      reason: `${loss}, where ${percent(thresholds.degraded_loss_percent)} is degraded${lastError}`,
    }
  const time = `Answers of ${target} take ${(averageRttMs ?? 0).toFixed(1)} ms on average`
  if (thresholds.degraded_rtt_ms !== null && (averageRttMs ?? 0) >= thresholds.degraded_rtt_ms)
    return { state: 'Degraded', reason: `${time}, where ${thresholds.degraded_rtt_ms} ms is degraded` }
  return { state: 'Up', reason: `${time}, and ${percent(lossPercent)} of the last ${decided} probes are lost` }
}

const percent = (figure: number): string => `${Math.round(figure * 10) / 10} %`
