// In how many ways a page is drawn, and what the words of a command line choose of them.
import { DESKTOP, PHONE } from '../support/browser.ts'

const AXES = {
  language: ['en', 'fa', 'ru', 'zh-CN'],
  theme: ['light', 'dark'],
  device: ['desktop', 'phone'],
} as const

export type Language = (typeof AXES.language)[number]
export type Device = (typeof AXES.device)[number]

export interface Look {
  readonly language: Language
  readonly theme: (typeof AXES.theme)[number]
  readonly device: Device
}

export const VIEWPORTS = { desktop: DESKTOP, phone: PHONE } as const
export const fileName = (scene: string, { language, theme, device }: Look): string =>
  `${scene}-${language}-${theme}-${device}.png`

export interface Choice {
  /** Those of one device together, since a browser is one or the other. */
  readonly looks: readonly Look[]
  readonly isChosen: (scene: string) => boolean
}

/** `words` name looks, such as fa, dark and phone, and scenes: by the whole name if there is one, else by a part. */
export function choose(words: readonly string[], scenes: readonly string[]): Choice {
  const of = <T extends string>(axis: readonly T[]): readonly T[] => {
    const named = axis.filter((value) => words.includes(value))
    return named.length > 0 ? named : axis
  }
  const values: readonly string[] = Object.values(AXES).flat()
  const names = words.filter((word) => !values.includes(word))
  const unknown = names.filter((name) => !scenes.some((scene) => scene.includes(name)))
  if (unknown.length > 0) throw new Error(`No picture is called ${unknown.join(', ')}. There are: ${scenes.join(', ')}`)
  return {
    looks: of(AXES.device).flatMap((device) =>
      of(AXES.language).flatMap((language) => of(AXES.theme).map((theme) => ({ device, language, theme }))),
    ),
    isChosen: (scene) =>
      names.length === 0 || names.some((name) => (scenes.includes(name) ? scene === name : scene.includes(name))),
  }
}
