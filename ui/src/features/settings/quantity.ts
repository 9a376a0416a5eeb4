// A number in the unit of a setting, as the language counts it; pure, for tests.

const UNITS: Readonly<Record<string, string>> = {
  bytes: 'byte',
  milliseconds: 'millisecond',
  seconds: 'second',
  minutes: 'minute',
  days: 'day',
}

export const quantity = (value: number, unit: string, locale: string): string => {
  const options = { maximumFractionDigits: 3 }
  const name = UNITS[unit]
  const counted =
    name === undefined ? options : ({ ...options, style: 'unit', unit: name, unitDisplay: 'long' } as const)
  return (
    new Intl.NumberFormat(locale, counted)
      .format(value)
      .replaceAll(' ', '\u00a0')
      // Not the 秒钟 of a long unit: the settings and their hints count in 秒.
      .replace('秒钟', '秒')
      .replace(/\d(?=\p{Script=Han})/u, '$&\u00a0')
  )
}
