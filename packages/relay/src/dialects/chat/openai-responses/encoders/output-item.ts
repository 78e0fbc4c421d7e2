export interface OutputEvent extends Record<string, unknown> {
  type: string;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Position of an item as its events name it. */
export interface ItemPosition extends Record<string, unknown> {
  item_id: string;
  output_index: number;
}

/** An item while it is written: it tells the events by which a client builds the same. */
export interface OutputItem {
  readonly kind: 'message' | 'reasoning' | 'call';
  /** The item as it is so far. */
  json(status: ItemStatus): Record<string, unknown>;
  /** Returns the remaining events that complete the item. */
  close(): OutputEvent[];
}

export function itemAdded(outputIndex: number, item: Record<string, unknown>): OutputEvent {
  return { type: 'response.output_item.added', output_index: outputIndex, item };
}

export function itemDone(outputIndex: number, item: Record<string, unknown>): OutputEvent {
  return { type: 'response.output_item.done', output_index: outputIndex, item };
}
