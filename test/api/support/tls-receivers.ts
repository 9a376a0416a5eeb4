// Receivers of notifications over TLS on this host: an HTTPS server, and the SMTP server of the nodemailer project.
import { createServer } from 'node:https'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { pairIn } from './certificates.ts'
import { listening } from './receivers.ts'

export interface TlsReceiver {
  readonly port: number
  /** What arrived: bodies and mails, each with the password that came with it. */
  readonly received: string[]
  readonly close: () => void
}

/** A test reaches them by other addresses than 127.0.0.1 too. */
const EVERYWHERE = '0.0.0.0'

export async function httpsReceiver(place: string): Promise<TlsReceiver> {
  const received: string[] = []
  const server = createServer(pairIn(place), (req, res) => {
    let body = ''
    req.on('data', (chunk) => (body += String(chunk)))
    req.on('end', () => {
      received.push(body)
      res.writeHead(204).end()
    })
  })
  server.on('tlsClientError', () => undefined)
  return { port: await listening(server, EVERYWHERE), received, close: () => void server.close() }
}

/** Offers STARTTLS unless the options say otherwise; with `secure` it is encrypted from the start. */
export async function mailServer(place: string, options: SMTPServerOptions = {}): Promise<TlsReceiver> {
  const received: string[] = []
  const server = new SMTPServer({
    ...pairIn(place),
    authOptional: true,
    onAuth: ({ username, password }, _session, callback) => {
      received.push(`password ${password ?? ''}`)
      callback(null, { user: username })
    },
    onData: (stream, { secure }, callback) => {
      let text = ''
      stream.on('data', (chunk) => (text += String(chunk)))
      stream.on('end', () => {
        received.push(`${secure ? 'encrypted' : 'plain'} ${text}`)
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  return { port: await listening(server.server, EVERYWHERE), received, close: () => server.close(() => undefined) }
}
