// Keeps a figure and its unit on one line of the page. Clients of the API get the same sentence with a plain blank.

export const joinUnits = (sentence: string): string => sentence.replace(/([}#\d]) (?=(?:%|ms|s|MiB)(?!\w))/g, '$1\u00a0')
