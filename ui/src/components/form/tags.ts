// Tags in a form: one line, with commas between.
export const parseTags = (text: string): string[] =>
  text
    .split(/[,،，]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

export const joinTags = (tags: readonly string[]): string => tags.join(', ')
