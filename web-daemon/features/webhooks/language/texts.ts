// A notice in the language of its target.
import { hostname } from 'node:os'
import type { NoticeLanguage } from '@panel/shared/api/webhooks.ts'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { render } from '@panel/shared/messages/render.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import type { SentNotice } from '../notice.ts'
import type { Texts } from '../send/requests.ts'
import { TRANSLATIONS } from './translations.mjs'

const TITLES = {
  problem: (server: string) => message('notice.title_problem', { server }),
  resolved: (server: string) => message('notice.title_resolved', { server }),
  info: (server: string) => message('notice.title_info', { server }),
} as const

const COMMAS = { en: ', ', fa: '، ', ru: ', ', 'zh-CN': '、' } as const

export const languageOf = (chosen: NoticeLanguage | null, settings: SettingsReader): NoticeLanguage =>
  chosen ?? settings.get('display.language')

export function textsOf(
  { severity, text, subject, subjects = [] }: Pick<SentNotice, 'severity' | 'text' | 'subject' | 'subjects'>,
  language: NoticeLanguage,
  settings: SettingsReader,
): Texts {
  const server = settings.get('display.server_name') || hostname()
  return {
    server,
    title: inLanguage(
      titleOf(TITLES[severity](server), subject.name + (subjects.length > 1 ? ` +${subjects.length - 1}` : '')),
      language,
    ),
    text: inLanguage(text, language),
  }
}

/** A list of messages shows the titles alone. */
const titleOf = (title: Message, name: string): Message =>
  name === '' ? title : message('notice.title_of', { title, name })

export function inLanguage(sentence: Message, language: NoticeLanguage): string {
  const number = new Intl.NumberFormat(language === 'fa' ? 'fa-u-nu-latn' : language)
  const instant = new Intl.DateTimeFormat(language === 'fa' ? 'fa-u-nu-latn-ca-gregory' : language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return render(
    sentence,
    language === 'en' ? CATALOGUE : TRANSLATIONS[language],
    {
      language,
      number: (value) => number.format(value),
      instant: (at) => `${instant.format(new Date(at))} UTC`,
      isolate: (text) => text,
      comma: COMMAS[language],
    },
    () => undefined,
  )
}
