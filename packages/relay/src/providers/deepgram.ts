import { buildDeepgramSpeechQuery } from '../dialects/speech/deepgram-speech.ts';
import { buildDeepgramQuery } from '../dialects/transcription/deepgram-transcription.ts';
import { listOf, objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';

/** https://developers.deepgram.com/reference/deepgram-api-overview */
export const deepgram: Provider = {
  id: 'deepgram',
  label: 'Deepgram',
  channelType: 1202,
  website: 'https://console.deepgram.com',
  baseUrl: 'https://api.deepgram.com',
  endpoints: {
    transcription: [
      {
        format: 'deepgram-transcription',
        path: ({ model }, { json }) => `/v1/listen?${buildDeepgramQuery(model, json)}`,
      },
    ],
    speech: [
      {
        format: 'deepgram-speech',
        path: ({ model }, { json }) => `/v1/speak?${buildDeepgramSpeechQuery(model, json)}`,
      },
    ],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'aura-2-thalia-en',
  authorize: ({ credentials }) => ({ authorization: `Token ${credentials['key'] ?? ''}` }),
  listModels: {
    path: () => '/v1/models',
    read: (body) => {
      const { stt, tts } = objectOf(body);
      return [...listOf(stt), ...listOf(tts)].flatMap((model) => textOf(objectOf(model)['canonical_name']) ?? []);
    },
  },
};
