export interface OutputEvent extends Record<string, unknown> {
  type: string;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Position of an item, as its events express it. */
export interface ItemPosition extends Record<string, unknown> {
  item_id: string;
  output_index: number;
}

/** Item during encoding, which returns the events from which a client builds the same item. */
export interface OutputItem {
  readonly kind: 'message' | 'reasoning' | 'call';
  /** Returns the item in its current form. */
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
