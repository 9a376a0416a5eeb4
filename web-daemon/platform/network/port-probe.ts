// Probes a port from this server: a TCP connection that is closed at once, or one datagram.
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'

export interface PortProbe {
  readonly address: string
  readonly port: number
  readonly timeout_ms: number
  readonly source_address: string | undefined
}

/**
 * `answered`: the port responded. `refused`: the host or a router rejected it, with the errno in `error`. `silent`: no
 * response in time.
 */
export interface PortProbeResult {
  readonly outcome: 'answered' | 'refused' | 'silent'
  readonly error: string
  readonly latency_ms: number | null
}

type Settle = (outcome: PortProbeResult['outcome'], error?: string) => void

const timed = (timeout_ms: number, begin: (settle: Settle) => () => void): Promise<PortProbeResult> =>
  new Promise((resolve) => {
    const started = performance.now()
    let end = (): void => undefined
    let isSettled = false
    const settle: Settle = (outcome, error = '') => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      end()
      resolve({
        outcome,
        error,
        latency_ms: outcome === 'silent' ? null : Math.round((performance.now() - started) * 1000) / 1000,
      })
    }
    const timer = setTimeout(() => settle('silent', 'ETIMEDOUT'), timeout_ms)
    end = begin(settle)
  })

const errorCode = (failure: NodeJS.ErrnoException): string => failure.code ?? failure.message

export function probeTcpPort({ address: host, port, timeout_ms, source_address }: PortProbe): Promise<PortProbeResult> {
  return timed(timeout_ms, (settle) => {
    const socket = connect({ host, port, ...(source_address === undefined ? {} : { localAddress: source_address }) })
    socket.once('connect', () => settle('answered'))
    // If no host has the address, the kernel gives up by itself.
    socket.on('error', (failure: NodeJS.ErrnoException) =>
      settle(failure.code === 'ETIMEDOUT' ? 'silent' : 'refused', errorCode(failure)),
    )
    return () => void socket.destroy()
  })
}

export function probeUdpPort({ address, port, timeout_ms, source_address }: PortProbe): Promise<PortProbeResult> {
  return timed(timeout_ms, (settle) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    const refused = (failure: NodeJS.ErrnoException): void => settle('refused', errorCode(failure))
    socket.on('error', refused)
    socket.once('message', () => settle('answered'))
    const onSent = (failure?: Error | null): void => void (failure && refused(failure))
    // Only a connected UDP socket receives the ICMP error. If connecting fails, its callback gets the error, although
    // the types do not say so.
    const connected = (failure?: Error): void => (failure ? refused(failure) : socket.send(Buffer.alloc(1), onSent))
    const send = (): void => socket.connect(port, address, connected)
    if (source_address === undefined) send()
    else socket.bind(0, source_address, send)
    return () => socket.close()
  })
}
