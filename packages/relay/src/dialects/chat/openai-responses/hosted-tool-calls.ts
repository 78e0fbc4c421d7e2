import { type JsonObject, listOf, objectOf, textOf, textsIn } from '../../../json/json.ts';
import type { VendorCall } from '../../../model/conversation.ts';
import { type ItemPosition, itemAdded, itemDone, type OutputEvent } from './response-object-and-items.ts';

/** Reads a vendor tool call; returns undefined for kinds without a neutral form. */
export function readVendorCall(item: JsonObject): VendorCall | undefined {
  const shared = { callId: textOf(item['id']) ?? '', ...(item['status'] === 'failed' && { isError: true }) };
  switch (item['type']) {
    case 'web_search_call':
      return { ...shared, ...readWebAction(objectOf(item['action'])) };
    case 'code_interpreter_call':
      return {
        ...shared,
        tool: 'code-execution',
        input: textOf(item['code']) ?? '',
        output: readOutput(item['outputs']),
      };
    default:
      return undefined;
  }
}

function readWebAction(action: JsonObject): Pick<VendorCall, 'tool' | 'input' | 'sources'> {
  const url = textOf(action['url']);
  if (action['type'] === 'open_page' || action['type'] === 'find_in_page')
    return { tool: 'url-fetch', input: url ?? '' };
  const queries = textsIn(action['queries']);
  const sources = listOf(action['sources']).flatMap((source) => {
    const url = textOf(objectOf(source)['url']);
    return url === undefined ? [] : [{ url, title: textOf(objectOf(source)['title']) ?? '' }];
  });
  return { tool: 'web-search', input: textOf(action['query']) ?? queries.join('\n'), sources };
}

function readOutput(outputs: unknown): string | undefined {
  const logs = listOf(outputs).flatMap((output) => textOf(objectOf(output)['logs']) ?? []);
  return logs.length > 0 ? logs.join('\n') : undefined;
}

/** Returns a vendor tool call as an output item. */
function writeVendorCall(call: VendorCall, itemId: string): Record<string, unknown> {
  const shared = { id: itemId, status: call.isError === true ? 'failed' : 'completed' };
  const { input, output, sources = [] } = call;
  if (call.tool === 'code-execution') {
    const outputs = output === undefined ? null : [{ type: 'logs', logs: output }];
    // The container is unknown.
    return { ...shared, type: 'code_interpreter_call', code: input, container_id: '', outputs };
  }
  const action =
    call.tool === 'url-fetch'
      ? { type: 'open_page', url: input }
      : { type: 'search', query: input, queries: [input], sources: sources.map(({ url }) => ({ type: 'url', url })) };
  return { ...shared, type: 'web_search_call', action };
}

/** Item that arrives as a whole: a vendor tool call, or an image. */
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
