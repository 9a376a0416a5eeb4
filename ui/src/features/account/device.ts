// What a client calls itself, in two words: the browser and the system.

/**
 * The first that matches counts: Edge and Opera call themselves Chrome too, and Chrome calls itself Safari. Without a
 * window it is HeadlessChrome.
 */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const named = (text: string, names: typeof BROWSERS): string[] =>
  names.filter(([pattern]) => pattern.test(text)).map(([, name]) => name)

/** "" if nothing is known of it. Of a program, such as curl, the name that it begins with. */
export function deviceLabel(user_agent: string): string {
  const parts = [named(user_agent, BROWSERS)[0], named(user_agent, SYSTEMS)[0]].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(' · ') : (/^[\w.-]{1,40}/.exec(user_agent)?.[0] ?? '')
}
