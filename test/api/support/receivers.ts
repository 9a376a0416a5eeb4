// Receivers of notifications, real ones on this host: an HTTP server that behaves as a test wants, and an SMTP server.
import { createServer, type IncomingHttpHeaders, type Server as HttpServer, type ServerResponse } from 'node:http'
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Behaviour = (res: ServerResponse, received: Received) => void

export const accepts: Behaviour = (res) => void res.writeHead(204).end()
export const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (res) =>
    void res.writeHead(status, headers).end()
export const hangs: Behaviour = () => undefined
/** A 200 whose body never ends. */
export const neverEnds: Behaviour = (res) => {
  res.writeHead(200)
  const write = (): void => {
    while (!res.destroyed && res.write('x'.repeat(16_384)));
    if (!res.destroyed) res.once('drain', write)
  }
  write()
}

export interface HttpReceiver {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  behaves: Behaviour
  readonly close: () => void
}

export async function httpReceiver(): Promise<HttpReceiver> {
  const received: Received[] = []
  const server: HttpServer = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const one = { path: req.url ?? '', headers: req.headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      receiver.behaves(res, one)
    })
  })
  const port = await listening(server)
  const receiver: HttpReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    behaves: accepts,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}

export interface SmtpReceiver {
  readonly url: string
  /** What came between DATA and the dot, with the envelope before it. */
  readonly mails: { readonly from: string; readonly to: string[]; readonly data: string; readonly auth: string }[]
  /** The answer to MAIL FROM. */
  answersMail: string
  readonly close: () => void
}

export async function smtpReceiver(): Promise<SmtpReceiver> {
  const sockets = new Set<Socket>()
  const server = createTcp((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    converse(socket, receiver)
  })
  const port = await listening(server)
  const receiver: SmtpReceiver = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    answersMail: '250 OK',
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return receiver
}

function converse(socket: Socket, receiver: SmtpReceiver): void {
  let mail = { from: '', to: [] as string[], data: '', auth: '' }
  let isData = false
  let waiting = ''
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  const take = (line: string): void => {
    if (isData) {
      if (line !== '.') return void (mail.data += `${line}\n`)
      isData = false
      receiver.mails.push(mail)
      return say('250 Queued')
    }
    const word = line.slice(0, 4).toUpperCase()
    if (word === 'EHLO') return void socket.write('250-receiver\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n')
    if (word === 'AUTH')
      mail.auth = Buffer.from(line.split(' ')[2] ?? '', 'base64')
        .toString()
        .replaceAll('\0', '|')
    if (word === 'AUTH') return say('235 OK')
    if (word === 'MAIL') mail = { ...mail, from: /<(.*)>/.exec(line)?.[1] ?? '', to: [], data: '' }
    if (word === 'MAIL') return say(receiver.answersMail)
    if (word === 'RCPT') mail.to.push(/<(.*)>/.exec(line)?.[1] ?? '')
    if (word === 'DATA') isData = true
    say(word === 'DATA' ? '354 Go on' : word === 'QUIT' ? '221 Bye' : '250 OK')
    if (word === 'QUIT') socket.end()
  }
  say('220 receiver ESMTP')
  socket.on('data', (chunk: Buffer) => {
    const lines = (waiting + chunk.toString()).split('\r\n')
    waiting = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}

export async function listening(server: Server, address = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return (server.address() as AddressInfo).port
}
