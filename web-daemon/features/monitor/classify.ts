// What the last probes say of a tunnel, all by themselves (decisions.md, S3, S4).
import type { MonitorState } from '@panel/shared/api/lookups.ts'

export interface Verdict {
  readonly state: MonitorState
  /** For people; never empty. */
  readonly reason: string
}

export interface Thresholds {
  /** Agreeing samples that a change of state takes. */
  readonly state_change_samples: number
  /** As many probes must be decided before they say anything: as many, if the window holds so many. */
  readonly decided_least: number
  readonly degraded_loss_percent: number
  readonly down_loss_percent: number
  /** Null: however slow, it is not degraded. */
  readonly degraded_rtt_ms: number | null
}

/** As much of a window as a verdict takes. */
export interface ProbeStats {
  readonly decided: number
  readonly received: number
  readonly lossPercent: number | null
  readonly averageRttMs: number | null
}

/** What a knock at a TCP port of the peer has shown; null where nobody knocked. */
export interface TcpProbeResult {
  readonly isAlive: boolean
  readonly detail: string
}

/** Silence that a knock may explain: not one of the probes was answered, and that is what counts as down. */
export const isSilent = ({ decided, received }: ProbeStats, { decided_least }: Thresholds): boolean =>
  received === 0 && decided >= decided_least

/** `seen` of the probes to `target`; `detail`: what was said of the newest that got lost, "" where nothing was. */
export interface Evidence {
  readonly stats: ProbeStats
  readonly target: string
  readonly detail: string
  readonly tcpProbe: TcpProbeResult | null
}

export function classify({ stats, target, detail, tcpProbe }: Evidence, thresholds: Thresholds): Verdict {
  const { decided, lossPercent, averageRttMs } = stats
  if (decided < thresholds.decided_least || lossPercent === null)
    return {
      state: 'Unknown',
      reason: `Too few probes are answered or lost yet: ${decided} of ${thresholds.decided_least}`,
    }
  if (isSilent(stats, thresholds) && tcpProbe?.isAlive)
    return { state: 'Degraded', reason: `${target} answers TCP but not ICMP (${tcpProbe.detail})` }
  const loss = `${percent(lossPercent)} of the last ${decided} probes to ${target} are lost`
  const lastError = detail === '' ? '' : `; the last time: ${detail}`
  if (lossPercent >= thresholds.down_loss_percent)
    return {
      state: 'Down',
      reason: `${loss}${lastError}${tcpProbe && isSilent(stats, thresholds) ? `; TCP: ${tcpProbe.detail}` : ''}`,
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
