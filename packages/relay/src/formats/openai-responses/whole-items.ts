/** Items that come at once: what ran at the vendor, and pictures. */
import type { VendorCall } from '../../conversation.ts';
import { added, done, type ResponseEvent } from './output-items.ts';
import { writeVendorCall } from './vendor-calls.ts';

type Item = Record<string, unknown>;

export interface WholeItem {
  item: Item;
  events: ResponseEvent[];
}

export function vendorCallItem(call: VendorCall, itemId: string, outputIndex: number): WholeItem {
  const item = writeVendorCall(call, itemId);
  const place = { item_id: itemId, output_index: outputIndex };
  const ending = call.isError === true ? [] : ['completed'];
  if (call.tool === 'code-execution') {
    const steps = (names: readonly string[]) => progress('code_interpreter_call', names, place);
    const code = 'response.code_interpreter_call_code';
    return told(item, { code: '', outputs: null }, outputIndex, [
      ...steps(['in_progress']),
      { type: `${code}.delta`, ...place, delta: call.input },
      { type: `${code}.done`, ...place, code: call.input },
      ...steps(['interpreting', ...ending]),
    ]);
  }
  const steps = progress('web_search_call', ['in_progress', 'searching', ...ending], place);
  return told(item, {}, outputIndex, steps);
}

export function imageItem(mediaType: string, data: string, itemId: string, outputIndex: number): WholeItem {
  const item = {
    id: itemId,
    type: 'image_generation_call',
    status: 'completed',
    output_format: mediaType.replace(/^image\//, ''),
    result: data,
  };
  const place = { item_id: itemId, output_index: outputIndex };
  const steps = progress('image_generation_call', ['in_progress', 'generating', 'completed'], place);
  return told(item, { result: null }, outputIndex, steps);
}

function progress(type: string, names: readonly string[], place: Item): ResponseEvent[] {
  return names.map((name) => ({ type: `response.${type}.${name}`, ...place }));
}

/** @param before what differs while it runs */
function told(item: Item, before: Item, outputIndex: number, events: ResponseEvent[]): WholeItem {
  const begun = { ...item, ...before, status: 'in_progress' };
  return { item, events: [added(outputIndex, begun), ...events, done(outputIndex, item)] };
}
