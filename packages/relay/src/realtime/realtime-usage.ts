import { objectOf } from '../json/json.ts';
import { emptyUsage, markImplausible, Shares, toTokenCount, type Usage } from '../model/usage.ts';

/**
 * Returns the usage of one response in disjoint counters. Cached tokens are reported by kind, or subtracted from text
 * first. https://platform.openai.com/docs/api-reference/realtime-server-events/response/done
 */
export function readRealtimeUsage(reported: unknown): Usage | undefined {
  const usage = objectOf(reported);
  const said = objectOf(usage['input_token_details']);
  const cached = objectOf(said['cached_tokens_details']);
  const written = objectOf(usage['output_token_details']);
  const input = new Shares(toTokenCount(usage['input_tokens']) || sumOf(said));
  const output = new Shares(toTokenCount(usage['output_tokens']) || sumOf(written));
  const cachedRead = input.take('cachedRead', said['cached_tokens']);
  const audioInput = input.take('audioInput', said['audio_tokens'], cached['audio_tokens']);
  const imageInput = input.take('imageInput', said['image_tokens'], cached['image_tokens']);
  const audioOutput = output.take('audioOutput', written['audio_tokens']);
  const read: Usage = {
    ...emptyUsage(),
    cachedRead,
    audioInput,
    imageInput,
    input: input.rest,
    audioOutput,
    output: output.rest,
    ...markImplausible(...input.implausible, ...output.implausible),
  };
  return Object.values(read).some((count) => typeof count === 'number' && count > 0) ? read : undefined;
}

function sumOf(details: Readonly<Record<string, unknown>>): number {
  return ['text_tokens', 'audio_tokens', 'image_tokens']
    .map((kind) => toTokenCount(details[kind]))
    .reduce((sum, count) => sum + count, 0);
}
