/** Items that arrive as a whole: vendor tool calls and images. */
import type { VendorCall } from '../../../model/conversation.ts';
import { type ItemPosition, itemAdded, itemDone, type OutputEvent } from './encoders/output-item.ts';
import { writeVendorCall } from './vendor-calls.ts';

type Item = Record<string, unknown>;

export interface CompleteItem {
  item: Item;
  events: OutputEvent[];
}

export function createVendorCallItem(call: VendorCall, place: ItemPosition): CompleteItem {
  const item = writeVendorCall(call, place.item_id);
  const ending = call.isError === true ? [] : ['completed'];
  if (call.tool === 'code-execution') {
    const steps = (names: readonly string[]) => createProgressEvents('code_interpreter_call', names, place);
    const code = 'response.code_interpreter_call_code';
    return createCompleteItem(item, { code: '', outputs: null }, place, [
      ...steps(['in_progress']),
      { type: `${code}.delta`, ...place, delta: call.input },
      { type: `${code}.done`, ...place, code: call.input },
      ...steps(['interpreting', ...ending]),
    ]);
  }
  const steps = createProgressEvents('web_search_call', ['in_progress', 'searching', ...ending], place);
  return createCompleteItem(item, {}, place, steps);
}

export function createImageItem(mediaType: string, data: string, place: ItemPosition): CompleteItem {
  const item = {
    id: place.item_id,
    type: 'image_generation_call',
    status: 'completed',
    output_format: mediaType.replace(/^image\//, ''),
    result: data,
  };
  const steps = createProgressEvents('image_generation_call', ['in_progress', 'generating', 'completed'], place);
  return createCompleteItem(item, { result: null }, place, steps);
}

function createProgressEvents(type: string, names: readonly string[], place: ItemPosition): OutputEvent[] {
  return names.map((name) => ({ type: `response.${type}.${name}`, ...place }));
}

/** @param before fields that differ while the item is in progress */
function createCompleteItem(
  item: Item,
  before: Item,
  { output_index }: ItemPosition,
  events: OutputEvent[],
): CompleteItem {
  const begun = { ...item, ...before, status: 'in_progress' };
  return { item, events: [itemAdded(output_index, begun), ...events, itemDone(output_index, item)] };
}
