// The text of each rule as nft prints it, found by the number that nft gives with it (nft -a).
const TABLE = /^table (\S+ \S+) \{/
const CHAIN = /^\tchain (\S+) \{/
const RULE = /^(.*) # handle ([0-9]+)$/s

export const handleKey = (table: string, chain: string, handle: number): string => `${table} ${chain} ${handle}`

export function textsByHandle(listed: string): Map<string, string> {
  const texts = new Map<string, string>()
  let [table, chain, open] = ['', '', '']
  for (const line of listed.split('\n')) {
    if (!line.startsWith('\t')) [table, chain] = [TABLE.exec(line)?.[1] ?? table, '']
    else if (!line.startsWith('\t\t')) [chain, open] = [CHAIN.exec(line)?.[1] ?? '', '']
    else if (chain !== '') {
      // A long set continues in the next line.
      open = `${open} ${line.trim()}`.trim()
      const [, text, handle] = RULE.exec(open) ?? []
      if (text !== undefined) texts.set(handleKey(table, chain, Number(handle)), text)
      if (text !== undefined || /^type .*;$/.test(open)) open = ''
    }
  }
  return texts
}
