/** Not a failure to be shown: the operator thought better of it. */
export class Cancelled extends Error {}
