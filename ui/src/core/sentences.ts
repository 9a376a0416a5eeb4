// Sentences one after the other, as the language has it.
import { display } from './display.svelte.ts'

/** Chinese full stops bring their own blank. */
export const sentences = (...all: readonly string[]): string =>
  all.filter((one) => one !== '').join(display.language === 'zh-CN' ? '' : ' ')
