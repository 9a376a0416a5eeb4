// The first line of every file of ours: the exact state for a reader; the rest of the text must follow from it.
export const MARK = '# tunnel-panel: '

export const fileMark = (value: object): string => MARK + JSON.stringify(value)
