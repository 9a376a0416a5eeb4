// The console blocks of a document: commands with what they print, cut out to be run.

export interface Shown {
  readonly command: string
  /** What stands below it, with the line ends by which it is wrapped. */
  readonly output: string
}

/** A block without a prompt is typed into something that runs already, and is left out. */
export function consoleBlocks(document: string): Shown[] {
  const blocks = [...document.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = '']) => text)
  return blocks.filter((text) => text.startsWith('$ ')).flatMap((text) => text.split(/^\$ /m).slice(1).map(shownIn))
}

/** A command goes on in the next line within a quote. */
function shownIn(text: string): Shown {
  const lines = text.split('\n')
  let count = 1
  while ((lines.slice(0, count).join('\n').match(/'/g) ?? []).length % 2 === 1 && count < lines.length) count += 1
  return { command: lines.slice(0, count).join(''), output: lines.slice(count).join('') }
}

/** What can be seen of an answer that is cut short, too. */
export interface SeenAnswer {
  readonly kind: 'result' | 'error' | 'item'
  readonly outcome: string
  readonly code: string
}

export const answersIn = (text: string): SeenAnswer[] =>
  [...text.matchAll(/\{"jsonrpc":"2\.0".*?(?=\{"jsonrpc"|$)/gs)].map(([answer]) => ({
    kind: answer.includes('"method":"stream.item"') ? 'item' : answer.includes('"error":') ? 'error' : 'result',
    outcome: /"outcome":"(\w+)","steps/.exec(answer)?.[1] ?? '',
    code: /"code":(-?\d+)/.exec(answer)?.[1] ?? '',
  }))
