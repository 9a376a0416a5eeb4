// Sends one mail over SMTP, encrypted unless the receiver is inside this host's networks and that is allowed. Only the
// parts for SMTP are imported: another one of nodemailer starts a program, and this daemon holds nothing that can.
import Mailer from 'nodemailer/lib/mailer'
import SmtpTransport from 'nodemailer/lib/smtp-transport'
import { message } from '@panel/shared/messages/message.ts'
import type { Receiver } from '../credentials.ts'
import type { NoticeFile } from '../notice.ts'
import { isInside, resolveChecked, SendError } from './address.ts'
import { certificateRefusal } from './certificate.ts'
import { TIMEOUT_MS, type SendOptions } from './http.ts'

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

export interface Mail {
  readonly id: string
  readonly subject: string
  readonly text: string
  readonly file: NoticeFile | null
}

export async function sendMail(target: Receiver, mail: Mail, options: SendOptions): Promise<void> {
  const url = new URL(target.url)
  const timeout = options.timeout_ms ?? TIMEOUT_MS
  const host = await resolveChecked(url.hostname, options)
  const connection = {
    host,
    port: Number(url.port) || PORTS[url.protocol] || 587,
    secure: url.protocol === 'smtps:',
    requireTLS: url.protocol === 'smtp:' && !(options.allowPrivate && isInside(host)),
    tls: { servername: url.hostname },
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(target.secret !== '' && { auth: { user: target.username || target.sender, pass: target.secret } }),
  }
  const transport = new Mailer(new SmtpTransport(connection), connection)
  try {
    await transport.sendMail({
      from: target.sender,
      to: target.recipient,
      subject: mail.subject,
      text: mail.text,
      messageId: `<${mail.id}@tunnel-panel>`,
      ...(mail.file && {
        attachments: [{ filename: mail.file.name, content: mail.file.text, contentType: 'application/octet-stream' }],
      }),
    })
  } catch (error) {
    throw asSendError(error, url.hostname, timeout)
  } finally {
    transport.close()
  }
}

/** An error of nodemailer, whose own code replaces that of the system. */
interface SmtpError {
  readonly code?: string
  readonly originalCode?: string
  readonly responseCode?: number
  readonly command?: string
}

/** The answer of the server is left out: it may repeat what was sent. */
function asSendError(error: unknown, host: string, timeout: number): SendError {
  if (error instanceof SendError) return error
  const { code = 'unknown', originalCode = code, responseCode, command } = error as SmtpError
  if (code === 'ETIMEDOUT') return new SendError(message('notice.timeout', { seconds: timeout / 1000 }))
  if (code === 'ETLS' && command === 'STARTTLS' && responseCode !== undefined)
    return new SendError(message('notice.no_starttls'))
  if (responseCode !== undefined) return new SendError(message('notice.status', { status: String(responseCode) }))
  return new SendError(certificateRefusal(host, originalCode) ?? message('notice.unreachable', { error: originalCode }))
}
