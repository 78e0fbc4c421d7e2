export interface ResponseEvent extends Record<string, unknown> {
  type: string;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Position of an item as its events name it. */
export interface Place extends Record<string, unknown> {
  item_id: string;
  output_index: number;
}

/** An item while it is written: it tells the events by which a client builds the same. */
export interface OutputItem {
  readonly kind: 'message' | 'reasoning' | 'call';
  /** The item as it is so far. */
  json(status: ItemStatus): Record<string, unknown>;
  /** Returns the remaining events that complete the item. */
  close(): ResponseEvent[];
}

export function added(outputIndex: number, item: Record<string, unknown>): ResponseEvent {
  return { type: 'response.output_item.added', output_index: outputIndex, item };
}

export function done(outputIndex: number, item: Record<string, unknown>): ResponseEvent {
  return { type: 'response.output_item.done', output_index: outputIndex, item };
}
