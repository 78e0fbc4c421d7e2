/** What the operator approved of a model; it goes before the shipped list. */
export interface ModelFactsTable {
  model: string;
  /** JSON of what is known, and of who made it. */
  facts: string;
  /** No refresh touches it; of a model that has a price, the price's lock counts. */
  locked: number;
}

/** What somebody wrote of a model; it goes before both, field by field. */
export interface ModelDetailTable {
  model: string;
  /** JSON. */
  facts: string;
}
