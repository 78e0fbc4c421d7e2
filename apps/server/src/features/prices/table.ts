export interface PriceTable {
  model: string;
  type: 'tokens' | 'times';
  channel_type: number;
  /** Copies from `rates`, for sorting. */
  input: number;
  output: number;
  /** JSON of the contract's `rates`, nano-points. */
  rates: string;
  locked: number;
}
