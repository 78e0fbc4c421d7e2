import type { Endpoint, Provider } from './provider.ts';

/** What is not chat, at the paths that OpenAI has and its imitators keep. */
export const openaiSurfaces: Provider['speaks'] = {
  images: [
    { format: 'openai-images', path: '/v1/images/generations' },
    { format: 'openai-image-edits', path: '/v1/images/edits' },
    { format: 'openai-image-variations', path: '/v1/images/variations' },
  ],
  speech: [{ format: 'openai-speech', path: '/v1/audio/speech' }],
  transcription: [
    { format: 'openai-transcription', path: '/v1/audio/transcriptions' },
    { format: 'openai-translation', path: '/v1/audio/translations' },
  ],
  moderation: [{ format: 'openai-moderation', path: '/v1/moderations' }],
};

/** A WebSocket; the model stands in the address. https://platform.openai.com/docs/guides/realtime-websocket */
export function realtimeAt(path: string): readonly Endpoint[] {
  return [{ format: 'openai-realtime', path: ({ model }) => `${path}?model=${encodeURIComponent(model)}` }];
}
