// The first line of every file of ours: what the file says, for a reader that wants it exact; the rest of the text must follow from it.
export const MARK = '# tunnel-panel: '

export const fileMark = (value: object): string => MARK + JSON.stringify(value)
