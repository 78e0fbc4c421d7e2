/** Items that come at once: what ran at the vendor, and pictures. */
import type { VendorCall } from '../../../model/conversation.ts';
import { added, done, type Place, type ResponseEvent } from './encoders/output-item.ts';
import { writeVendorCall } from './vendor-calls.ts';

type Item = Record<string, unknown>;

export interface WholeItem {
  item: Item;
  events: ResponseEvent[];
}

export function vendorCallItem(call: VendorCall, place: Place): WholeItem {
  const item = writeVendorCall(call, place.item_id);
  const ending = call.isError === true ? [] : ['completed'];
  if (call.tool === 'code-execution') {
    const steps = (names: readonly string[]) => progress('code_interpreter_call', names, place);
    const code = 'response.code_interpreter_call_code';
    return told(item, { code: '', outputs: null }, place, [
      ...steps(['in_progress']),
      { type: `${code}.delta`, ...place, delta: call.input },
      { type: `${code}.done`, ...place, code: call.input },
      ...steps(['interpreting', ...ending]),
    ]);
  }
  const steps = progress('web_search_call', ['in_progress', 'searching', ...ending], place);
  return told(item, {}, place, steps);
}

export function imageItem(mediaType: string, data: string, place: Place): WholeItem {
  const item = {
    id: place.item_id,
    type: 'image_generation_call',
    status: 'completed',
    output_format: mediaType.replace(/^image\//, ''),
    result: data,
  };
  const steps = progress('image_generation_call', ['in_progress', 'generating', 'completed'], place);
  return told(item, { result: null }, place, steps);
}

function progress(type: string, names: readonly string[], place: Place): ResponseEvent[] {
  return names.map((name) => ({ type: `response.${type}.${name}`, ...place }));
}

/** @param before what differs while it runs */
function told(item: Item, before: Item, { output_index }: Place, events: ResponseEvent[]): WholeItem {
  const begun = { ...item, ...before, status: 'in_progress' };
  return { item, events: [added(output_index, begun), ...events, done(output_index, item)] };
}
