import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import { objectOf, textOf } from '../json/json.ts';
import type { Quirk } from '../model/provider.ts';
import { mapVoice, voicesOption } from '../provider-kit/channel-options.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { clampField, dropFields, limitToOneChoice } from '../provider-kit/shared-vendor-quirks.ts';

/**
 * Separates reasoning, which is otherwise between tags in the response's text.
 * https://platform.minimax.io/docs/api-reference/text-openai-api
 */
const splitReasoning: Quirk = (body, _target, _dropped, format) =>
  format === 'openai-chat' && body['reasoning_split'] === undefined ? { ...body, reasoning_split: true } : body;

/** The vendor's voices that are closest to OpenAI's. https://platform.minimax.io/docs/faq/system-voice-id */
const voices: Readonly<Record<string, string>> = {
  alloy: 'female-chengshu',
  echo: 'male-qn-qingse',
  fable: 'male-qn-jingying',
  onyx: 'presenter_male',
  nova: 'presenter_female',
  shimmer: 'audiobook_female_1',
};

/** Applies the operator's voice names, which may include an emotion: `male-qn-jingying|happy`. */
const mapVoices: Quirk = (body, target, _dropped, format) => {
  if (format !== 'minimax-speech') return body;
  const asked = objectOf(body['voice_setting']);
  const [name, emotion] = mapVoice(target, textOf(asked['voice_id']) ?? '', voices).split('|');
  return { ...body, voice_setting: { ...(emotion && { emotion }), ...asked, voice_id: name } };
};

/**
 * MiniMax. Outside China: `https://api.minimax.io`. https://platform.minimax.io/docs/api-reference/text-openai-api,
 * …/text-anthropic-api
 */
export const minimax = createOpenaiCompatible({
  id: 'minimax',
  label: 'MiniMax',
  channelType: 27,
  website: 'https://platform.minimaxi.com',
  baseUrl: 'https://api.minimaxi.com',
  endpoints: {
    chat: [
      { format: 'openai-chat', path: '/v1/chat/completions' },
      { format: 'anthropic-messages', path: '/anthropic/v1/messages' },
    ],
    speech: [{ format: 'minimax-speech', path: '/v1/t2a_v2' }],
    videos: [{ format: 'minimax-videos', path: '/v1/video_generation' }],
  },
  options: [voicesOption],
  testModel: 'MiniMax-M2.5',
  quirks: [
    mapVoices,
    splitReasoning,
    limitToOneChoice,
    clampField('temperature', 0.01, 1),
    dropFields('presence_penalty', 'frequency_penalty', 'logit_bias'),
  ],
  // Codes, usually in responses of status 200. https://platform.minimax.io/docs/api-reference/errorcode
  readError: createErrorCodeReader({
    1002: 'rate-limited',
    1004: 'unauthorised',
    1008: 'out-of-credit',
    1026: 'rejected',
    1027: 'rejected',
    1039: 'rate-limited',
    1041: 'rate-limited',
    1042: 'rejected',
    2013: 'rejected',
    2045: 'rate-limited',
    2049: 'unauthorised',
    2056: 'rate-limited',
    2061: 'garbled',
  }),
});
