/** An entry as its list has it, in our fields but not checked yet. */
export interface RawEntry {
  /** Position in the list: `prices.3`, `openai.gpt-5`. */
  position: string;
  model: unknown;
  currency?: unknown;
  price?: RawPrice | undefined;
  facts?: Record<string, unknown> | undefined;
}

export interface RawPrice {
  type?: unknown;
  /** Absent: the list does not say whose it is. */
  channel_type?: unknown;
  rates: unknown;
  image_rates?: unknown;
  tiers?: unknown;
}

/** Without what the list says nothing of. */
export function omitUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** An amount times what it is in nano-points; what is no number stays, and is refused later. */
export function multiplyAmount(amount: unknown, factor: number): unknown {
  return typeof amount === 'number' ? Math.round(amount * factor) : amount;
}
