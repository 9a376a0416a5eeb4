/** Thrown when the operator cancels; not reported as a failure. */
export class Cancelled extends Error {}
