/** Facts of a model that the operator approved; they take precedence over the shipped list. */
export interface ModelFactsTable {
  model: string;
  /** JSON of the facts and the owner. */
  facts: string;
  /** 1 if no refresh changes it. For a model with a price, the price's lock counts. */
  locked: number;
}

/** Handwritten facts of a model; they take precedence over all lists, field by field. */
export interface ModelDetailTable {
  model: string;
  /** JSON. */
  facts: string;
}
