import type { JsonObject } from '../../json/json.ts';
import type { EncodeOptions } from '../../model/conversation.ts';

/** Sets the model in the body; returns the same object if it is set already. */
export function setModel(body: JsonObject, { model }: Pick<EncodeOptions, 'model'>): JsonObject {
  return body['model'] === model ? body : { ...body, model };
}

/** The same for those that also say there whether to stream. */
export function setModelAndStream(body: JsonObject, ask: EncodeOptions): JsonObject {
  const named = setModel(body, ask);
  if ((named['stream'] ?? false) === ask.stream) return named;
  const { stream_options: _options, ...rest } = named;
  return { ...rest, stream: ask.stream };
}
