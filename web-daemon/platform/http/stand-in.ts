// Stands in for the panel while it cannot start: health, one page that says what to do, and nothing else. Without it the
// daemon would end again and again, and only the journal would say why.
import { createHash } from 'node:crypto'
import type { Express, Request, RequestHandler, Response } from 'express'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { NOTICE_LANGUAGES, type NoticeLanguage } from '@panel/shared/api/webhooks.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import { sendRefusal } from './answer.ts'
import { bareApp } from './bare-app.ts'
import { requestId, securityHeaders, setDocumentHeaders } from './headers.ts'
import { isApiPath, requirePrefix, toBasePath } from './prefix.ts'
import { Refusal } from './refusal.ts'
import { API_BASE } from './routes.ts'
import type { Fault } from '../health.ts'

interface StandInDeps {
  readonly web_path: string
  readonly trusted_proxies: readonly string[]
  /** At least one; read with each request. */
  readonly faults: () => readonly Fault[]
  readonly now: () => Date
  readonly inLanguage: (sentence: Message, language: NoticeLanguage) => string
}

export function standInApp({ web_path, trusted_proxies, faults, now, inLanguage }: StandInDeps): Express {
  const app = bareApp(trusted_proxies)
  app.use(requirePrefix(toBasePath(web_path)))
  app.use(requestId, securityHeaders)
  app.get(`${API_BASE}/system/health`, (_req, res) => void res.json(healthOf(faults(), now())))
  app.use(refuseApi(faults))
  app.use((req, res) => sendPage(req, res, faults(), inLanguage))
  return app
}

/** A sentence that is all of them. */
const whole = ([first, ...rest]: readonly Message[]): Message =>
  rest.reduce((all, second) => message('panel.sentences', { first: all, second }), first ?? message('panel.stand_in'))

const OTHERS = ['database', 'netlink', 'kernel_module', 'monitor', 'metrics'] as const

/** Nobody can sign in, so nobody can be shown more than everybody. */
function healthOf(faults: readonly Fault[], now: Date): HealthAnswer {
  const faulty = faults.map(({ component, sentences }) => ({
    name: component,
    status: 'error' as const,
    detail: whole(sentences),
  }))
  const others = OTHERS.filter((name) => faults.every(({ component }) => component !== name)).map((name) => ({
    name,
    status: 'unknown' as const,
    detail: message('panel.stand_in'),
  }))
  return {
    status: 'error',
    setup_required: false,
    components: [...faulty, ...others].map(({ detail, ...one }) => ({ ...one, ...messageFields('detail', detail) })),
    checked_at: now.toISOString(),
  }
}

const refuseApi =
  (faults: () => readonly Fault[]): RequestHandler =>
  (req, res, next) => {
    if (!isApiPath(req.path)) return next()
    const [fault] = faults()
    const details = { reason: fault?.reason ?? '' }
    sendRefusal(res, new Refusal('SERVICE_UNAVAILABLE', whole(fault?.sentences ?? []), { details }))
  }

const STYLE =
  'body{max-width:44rem;margin:4rem auto;padding:0 1rem;font:16px/1.6 system-ui,sans-serif;overflow-wrap:anywhere}'
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

function sendPage(req: Request, res: Response, faults: readonly Fault[], inLanguage: StandInDeps['inLanguage']): void {
  // The operator's own choice is in the store.
  const language = (req.acceptsLanguages([...NOTICE_LANGUAGES]) || 'en') as NoticeLanguage
  const say = (sentence: Message): string => escaped(inLanguage(sentence, language))
  const sentences = [...faults.flatMap((fault) => fault.sentences), message('panel.stand_in_note')]
  const title = say(message('panel.stand_in'))
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style>`
  const body = `<h1>${title}</h1>${sentences.map((one) => `<p>${say(one)}</p>`).join('')}`
  setDocumentHeaders(res)
  res
    .status(503)
    .set({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY, Vary: 'Accept-Language' })
  res.send(
    `<!doctype html><html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}"><head>${head}</head><body>${body}</body></html>`,
  )
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
