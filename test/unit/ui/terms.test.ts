// One term for one thing in each language (shared/messages/README.md): what was once a second term stays out.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'

const LOCALES = fileURLToPath(new URL('../../../ui/src/locales', import.meta.url))

/**
 * Second terms for a probe, checksum, client, file, unit, tab, sync and side; for the far end and a destination; for a
 * degraded state; for disabling a tunnel; in Persian, for up, Undo and putting back; for MSS clamping.
 */
const SECOND_TERMS: Readonly<Record<string, readonly RegExp[]>> = {
  en: [
    /^(Not known|Status|Kind|there|not there|up|down)$/,
    /\btold\b|\banew\b|\bwhom\b|\bis no more\b|\bof before\b|\bforgotten pauses\b/,
    /\bImpaired\b|(Tunnel|Rule|Helper) impaired|Partly working/,
    /\b(Take|Bring) (down|up)|Bring (the tunnel|\{tunnel\}) up|Tak(e|ing) (\{name\}|the tunnel) down[? ]|taken down|brought up/,
  ],
  fa: [
    /پیمایش|مجموع بررسی|کارخواه|پرونده|واحد systemd|برگه|همگام|سوی تونل|نشانی‌های همگانی|کسی چیز/,
    /عامل دوم|گاه‌شمار|دست بالا|MSS clamp|اندازهٔ قطعه|^لغو|توکن.* لغو|آنها|^کپی \{title\}/,
    /ضعیف|رفت و برگشت|ممیزی|دستیار/,
    /^(بالا بردن|پایین آوردن)( تونل)?$|(بالا|پایین) نیامد|پایین آورده|(\{name\}|تونل) (بالا|پایین) است$|برپا/,
    /واگرد|^برگرداندن خودکار$|^آیا .*[^؟]$|\u200cکردن/,
  ],
  ru: [
    /сосед|[Пп]олучател|последних \{count\} проверок|Разобрать|Кому можно|Следить за туннелями/,
    /[Уу]худшен|Работает частично|Выключить \{name\}\?|^Выключить$|выключить туннель|журнале? аудита/,
    /MSS clamp|размера сегмента|^Хранилище отвечает|Отправить проверку|^Новое правило$|Безопасное применение|объект был бы|^Пароль не короче/,
    /[Мм]ежсетев|откачен|помощник root|веб-демон|[Фф]орвардинг \{family\}|[^\u2011]форвардинг|принудительно применен/,
    /Проследить путь|[Ии]нтерфейс\S*-петл|по пропускной|[Пп]олезная нагрузка|^Готова$|^Вывести \{\w+\}\?|Взять чужое/,
  ],
  'zh-CN': [
    /通知目标|本机|[}] %|质量下降|目的端|请忘记|已遗忘|GRE 序号|\{field\} [应不]/,
    /(隧道|规则|助手)异常|部分可用|(开启|关闭) \{(name|tunnel)\}？|未能(开启|关闭)$|隧道(重新|已)?开启|root 助手/,
    /另一(台)?服务器|(?<!一端.*)另一端|此(主机|面板|服务器)|操作员|打开的连接|^当前连接$|现有连接|^GRE 密钥，|输[入出]密钥/,
    /存储|观察者|MSS clamp|限制 MSS|被其遮蔽|另一台(?!服)|安全应用/,
    /请选择强制|测试 \{run\}|另一次运行|跟踪路径|密钥受密码|Web 服务的|颁发者|放手|每秒新(连接|增)|看到的来源/,
  ],
}
/** This machine is the server; a host is one that has a name or an address somewhere. */
const OTHER_WORDS_FOR_THE_SERVER: Readonly<Record<string, RegExp>> = {
  en: /^Host$|^This server$|\b([Tt]his|[Oo]n the) host\b|\bthe machine\b/,
  fa: /(روی|این) میزبان|^میزبان$|خود ماشین/,
  ru: /^Этот сервер$|([Нн]а|[Ээ]то(т|го|м)) хост|^Хост$|самой машине/,
  'zh-CN': /本主机|^主机上|在主机上|^主机$/,
}
const isSecond = (text: string, terms: readonly RegExp[] = []): boolean => terms.some((term) => term.test(text))

type Catalogue = Readonly<Record<string, string>>
const catalogueOf = (language: string, file: string): Catalogue =>
  JSON.parse(readFileSync(join(LOCALES, language, file.replace(/(\.json)?$/, '.json')), 'utf8')) as Catalogue

const textsIn = (language: string): [file: string, text: string][] =>
  readdirSync(join(LOCALES, language), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => Object.values(catalogueOf(language, file)).map((text): [string, string] => [file, text]))

describe('The terms of the page', () => {
  for (const [language, second] of Object.entries(SECOND_TERMS))
    it(`are one for each thing in ${language}`, () => {
      const texts = textsIn(language)
      assert.ok(texts.length > 100)
      assert.deepEqual(
        texts.filter(([, text]) => isSecond(text, second)),
        [],
      )
    })

  for (const [language, others] of Object.entries(OTHER_WORDS_FOR_THE_SERVER))
    it(`name this server alike in ${language}`, () =>
      assert.deepEqual(
        textsIn(language).filter(([, text]) => others.test(text)),
        [],
      ))

  it('name this server alike in what the API says in English', () =>
    assert.deepEqual(
      Object.entries(CATALOGUE).filter(([, text]) => OTHER_WORDS_FOR_THE_SERVER['en']?.test(text) === true),
      [],
    ))

  it('are those of the field in what the API says in English', () =>
    assert.deepEqual(
      Object.entries(CATALOGUE).filter(([, text]) => isSecond(text, SECOND_TERMS.en)),
      [],
    ))

  it('name a default of new rules as the page that has it does', () => {
    const PAIRS = [
      ['settings.key.routes.default_clamp_mss', 'routes.field.clamp'],
      ['settings.option.Masquerade', 'routes.nat.masquerade'],
      ['settings.option.None', 'routes.nat.none'],
    ] as const
    for (const language of Object.keys(SECOND_TERMS)) {
      const sentences = Object.assign(
        {},
        ...['settings', 'routes'].map((area) => catalogueOf(language, area)),
      ) as Catalogue
      for (const [one, other] of PAIRS) assert.equal(sentences[one], sentences[other], language)
    }
  })

  it('name a setting’s choices as the form does, not by the values of the API', () => {
    const values = /["“«](system|all|off|rules|risky|always)["”»]/
    for (const language of Object.keys(SECOND_TERMS))
      assert.deepEqual(
        textsIn(language).filter(([file, text]) => file === 'settings.json' && values.test(text)),
        [],
        language,
      )
  })
})
