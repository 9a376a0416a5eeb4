// One check of a destination over TCP or HTTP, from this process and without any privilege.
import { connect } from 'node:net'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { probeTcpPort } from '../../platform/network/port-probe.ts'
import type { CheckTarget, RunCheck } from './checker.ts'
import type { Sample } from './judge.ts'

export const runCheck: RunCheck = (target, timeout_ms) =>
  target.kind === 'http' ? checkHttp(target, timeout_ms) : checkTcp(target, timeout_ms)

async function checkTcp({ address, port, source }: CheckTarget, timeout_ms: number): Promise<Sample> {
  const { outcome, error, latency_ms } = await probeTcpPort({
    address,
    port,
    timeout_ms,
    source_address: source ?? undefined,
  })
  if (outcome === 'answered') return { outcome: 'success', reason: acceptsAt(port), latency_ms }
  return failed(outcome === 'silent' ? 'ETIMEDOUT' : error, port, timeout_ms)
}

const failed = (error: string, port: number, timeout: number): Sample => {
  if (error === 'ECONNREFUSED')
    return { outcome: 'refused', reason: message('check.refuses', { port }), latency_ms: null }
  const reason = error === 'ETIMEDOUT' ? message('check.silent', { timeout }) : message('check.failed', { error })
  return { outcome: 'failure', reason, latency_ms: null }
}

/** Each is made once for a port or a status, since nearly all checks end like that. */
const madeOnce = (make: (number: number) => Message): ((number: number) => Message) => {
  const made = new Map<number, Message>()
  return (number) => {
    const one = made.get(number) ?? make(number)
    made.set(number, one)
    return one
  }
}
const acceptsAt = madeOnce((port) => message('check.accepts', { port }))
const answersWith = madeOnce((status) => message('check.status', { status }))

/** The first line of an answer is no longer than this. */
const STATUS_LINE_MAX = 1024

/** Only the status is looked at, so a whole HTTP client for each check would be most of what it costs. */
function checkHttp(target: CheckTarget, timeout_ms: number): Promise<Sample> {
  const { address: host, port, source } = target
  const began = performance.now()
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(source === null ? {} : { localAddress: source }) })
    const settle = (sample: Sample): void => {
      clearTimeout(timer)
      resolve(sample)
      socket.destroy()
    }
    const timer = setTimeout(() => settle(failed('ETIMEDOUT', port, timeout_ms)), timeout_ms)
    let received = ''
    socket.once('connect', () => socket.write(requestText(target)))
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1', 0, STATUS_LINE_MAX)
      if (received.includes('\n') || received.length > STATUS_LINE_MAX)
        settle(answered(target, received, performance.now() - began))
    })
    socket.on('end', () => settle(noHttp(received === '' ? 'ECONNRESET' : received)))
    socket.on('error', ({ code = '', message: text }: NodeJS.ErrnoException) =>
      settle(code === 'ECONNRESET' ? noHttp(code) : failed(code === '' ? text : code, port, timeout_ms)),
    )
  })
}

const requestText = (target: CheckTarget): string =>
  `GET ${target.path} HTTP/1.1\r\nHost: ${hostHeader(target)}\r\nUser-Agent: tunnel-panel\r\nAccept: */*\r\nConnection: close\r\n\r\n`

function hostHeader({ host, address, port }: CheckTarget): string {
  if (host !== '') return host
  const name = address.includes(':') ? `[${address}]` : address
  return port === 80 ? name : `${name}:${port}`
}

function answered({ expect_status }: CheckTarget, received: string, took: number): Sample {
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r?\n)/.exec(received)?.[1] ?? 0)
  if (status === 0) return noHttp(received)
  const latency_ms = Math.round(took * 1000) / 1000
  const isExpected = expect_status === null ? status >= 200 && status < 400 : status === expect_status
  if (isExpected) return { outcome: 'success', reason: answersWith(status), latency_ms }
  const expected = expect_status ?? '200-399'
  return { outcome: 'failure', reason: message('check.status_other', { status, expected }), latency_ms }
}

/** What answers speaks another language, or breaks off. The reason shows how it begins. */
function noHttp(received: string): Sample {
  const error = received.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 40)
  return { outcome: 'failure', reason: message('check.no_http', { error }), latency_ms: null }
}
