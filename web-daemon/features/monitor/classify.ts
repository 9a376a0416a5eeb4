// The state that the last probes alone suggest (decisions.md, S3, S4).
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'

export interface Verdict {
  readonly state: MonitorState
  /** A sentence for the operator; never empty. */
  readonly reason: Message
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
  readonly detail: Message
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
  const { decided_least, degraded_loss_percent, degraded_rtt_ms } = thresholds
  if (decided < decided_least || lossPercent === null)
    return { state: 'Unknown', reason: message('monitor.too_few', { decided, least: decided_least }) }
  if (received === 0 && tcpProbe?.isAlive)
    return { state: 'Degraded', reason: message('monitor.tcp_only', { target, tcp: tcpProbe.detail }) }
  const loss = { percent: percent(lossPercent), count: decided, target }
  if (isLost(stats, thresholds)) {
    const reason = withTcp(withLastError(message('monitor.lost', loss), detail), tcpProbe)
    return { state: tcpProbe?.isAlive ? 'Degraded' : 'Down', reason }
  }
  if (lossPercent >= degraded_loss_percent) {
    const text = message('monitor.lost_degraded', { ...loss, limit: percent(degraded_loss_percent) })
    return { state: 'Degraded', reason: withLastError(text, detail) }
  }
  const time = { target, time: (averageRttMs ?? 0).toFixed(1) }
  if (degraded_rtt_ms !== null && (averageRttMs ?? 0) >= degraded_rtt_ms)
    return { state: 'Degraded', reason: message('monitor.slow', { ...time, limit: degraded_rtt_ms }) }
  return { state: 'Up', reason: message('monitor.answers', { ...loss, ...time }) }
}

const withLastError = (text: Message, detail: string): Message =>
  detail === '' ? text : message('monitor.last_error', { text, detail: fromRoot(detail) })

const withTcp = (text: Message, probe: TcpProbeResult | null): Message =>
  probe ? message(probe.isAlive ? 'monitor.tcp_alive' : 'monitor.tcp_silent', { text, tcp: probe.detail }) : text

const percent = (figure: number): string => String(Math.round(figure * 10) / 10)
