// What a shell offers after <Tab>: the commands, the verbs of a noun, the options of a verb, and the values of an option.
import type { Command } from '../list.ts'
import type { ApiCommand } from './catalogue.ts'
import { optionsOf } from './fields.ts'

const OPTIONS = ['-o', '--wide', '--panel', '--token-file', '--data', '--help']

export function bashCompletion(commands: Readonly<Record<string, Command>>, overApi: readonly ApiCommand[]): string {
  const names = Object.keys(commands)
  const nouns = [...new Set(overApi.map(({ noun }) => noun))]
  const own = Object.entries(commands).map(([name, { words = [], options = {} }]) =>
    entry(name, [...words, ...Object.keys(options), '--help']),
  )
  const verbs = nouns.map((noun) => entry(noun, verbsOf(overApi, noun)))
  const options = overApi.map((one) =>
    entry(`'${one.noun} ${one.verb}'`, [...optionsOf(one).map(({ name }) => `--${name}`), ...OPTIONS]),
  )
  return `# bash completion of tunnel-panel
_tunnel_panel() {
  local words='' word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  # Bash makes a word of the sign in --option=value.
  if [ "$word" = = ]; then word=''
  elif [ "$before" = = ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  local at=$COMP_CWORD noun="\${COMP_WORDS[1]}" verb="\${COMP_WORDS[2]}"
  if [ "$at" = 2 ] && [ "$noun" = help ]; then at=1; fi
  if [ "$at" = 1 ]; then words='${[...names, ...nouns, 'help', '--help', '--version'].join(' ')}'
  elif [ "$at" = 2 ]; then case $noun in
${[...own, ...verbs].join('\n')}
  esac
  else case "$noun $verb $before" in
    *' '--data | *' '--token-file) COMPREPLY=($(compgen -f -- "$word")); return ;;
    *' '-o) words='table json' ;;
    *' '--panel | *' '--url) ;;
${valuesOf(overApi).join('\n')}
    *) case "$noun $verb" in
${options.join('\n')}
    esac ;;
  esac fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _tunnel_panel tunnel-panel
`
}

const entry = (pattern: string, words: readonly string[]): string => `    ${pattern}) words='${words.join(' ')}' ;;`

const verbsOf = (all: readonly ApiCommand[], noun: string): string[] =>
  all.filter((one) => one.noun === noun).map(({ verb }) => verb)

/** Options whose values are known, first those that have other values elsewhere. */
function valuesOf(all: readonly ApiCommand[]): string[] {
  const found = new Map<string, Map<string, string[]>>()
  for (const command of all)
    for (const { name, values } of optionsOf(command).filter((one) => one.values.length > 0)) {
      const lists = found.get(name) ?? new Map<string, string[]>()
      const list = values.join(' ')
      lists.set(list, [...(lists.get(list) ?? []), `${command.noun} ${command.verb}`])
      found.set(name, lists)
    }
  return [...found].flatMap(([name, lists]) =>
    [...lists].map(([list, of]) =>
      entry(lists.size === 1 ? `*' '--${name}` : of.map((one) => `'${one} --${name}'`).join(' | '), [list]),
    ),
  )
}
