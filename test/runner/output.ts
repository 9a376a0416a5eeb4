// The output of tiers that run at the same time, suite by suite: the lines of a suite stay together under the name of
// its tier.
import { stripVTControlCharacters } from 'node:util'

let lastPrinted = ''

export class SuiteOutput {
  readonly #tier: string
  #held: string[] = []
  #rest = ''

  constructor(tier: string) {
    this.#tier = tier
  }

  write(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (isSuiteTitle(line)) this.#print()
      this.#held.push(line)
    }
  }

  end(): void {
    if (this.#rest !== '') this.#held.push(this.#rest)
    this.#rest = ''
    this.#print()
  }

  #print(): void {
    const text = this.#held.join('\n').replace(/^\n+|\n+$/g, '')
    this.#held = []
    if (text === '') return
    if (lastPrinted !== this.#tier) console.log(`\n── ${this.#tier}`)
    lastPrinted = this.#tier
    console.log(`\n${text}`)
  }
}

/** Mocha indents the suites at the top of a file by two blanks. */
function isSuiteTitle(line: string): boolean {
  return /^ {2}[^ ]/.test(stripVTControlCharacters(line))
}
