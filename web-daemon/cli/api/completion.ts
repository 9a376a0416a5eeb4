// What a shell offers after <Tab>: the commands, the verbs of a noun, and the options of a verb.
import type { ApiCommand } from './catalogue.ts'

const OPTIONS = ['-o', '--panel', '--token-file', '--data']

export function bashCompletion(others: readonly string[], commands: readonly ApiCommand[]): string {
  const nouns = [...new Set(commands.map(({ noun }) => noun))]
  const verbs = nouns.map((noun) => {
    const own = commands.filter((one) => one.noun === noun).map(({ verb }) => verb)
    return `    ${noun}) words='${own.join(' ')}' ;;`
  })
  const options = commands.map(({ noun, verb, query, fields }) => {
    const named = [...query, ...Object.keys(fields).filter((name) => fields[name] !== 'secret')]
    return `    '${noun} ${verb}') words='${[...named.map((name) => `--${name}`), ...OPTIONS].join(' ')}' ;;`
  })
  return `# bash completion of tunnel-panel
_tunnel_panel() {
  local words=''
  if [ "$COMP_CWORD" = 1 ]; then words='${[...others, ...nouns].join(' ')}'
  elif [ "$COMP_CWORD" = 2 ]; then case \${COMP_WORDS[1]} in
${verbs.join('\n')}
  esac
  else case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${options.join('\n')}
  esac fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _tunnel_panel tunnel-panel
`
}
