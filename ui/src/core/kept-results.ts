// The last results of analyses, by the page of what they are of, as long as the page is open. One counts until what it is of is not
// as it was then.
export const results = new Map<string, { readonly signature: string; readonly result: unknown }>()
