// Sentences one after the other, as the language has it.
import { display } from './display.svelte.ts'

/** What separates a text from what follows it; full-width punctuation of Chinese brings its own space. */
export const gap = (): string => (display.language === 'zh-CN' ? '' : ' ')

export const sentences = (...all: readonly string[]): string => all.filter((one) => one !== '').join(gap())
