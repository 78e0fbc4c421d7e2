/** Facts of a model that the operator approved; they take precedence over the shipped list. */
export interface ModelFactsTable {
  model: string;
  /** JSON of what is known, and of who made it. */
  facts: string;
  /** No refresh touches it; of a model that has a price, the price's lock counts. */
  locked: number;
}

/** Handwritten facts of a model; they take precedence over all lists, field by field. */
export interface ModelDetailTable {
  model: string;
  /** JSON. */
  facts: string;
}
