import { resolveElevenlabsFormat } from '../dialects/speech/elevenlabs-speech.ts';
import { readVoice } from '../dialects/speech/openai-speech.ts';
import type { UpstreamErrorKind } from '../errors/upstream-error.ts';
import { listOf, objectOf, textOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Provider, Target } from '../model/provider.ts';
import { mapVoice, voicesOption } from '../provider-kit/channel-options.ts';

/** ElevenLabs' default voices, which every account has. https://elevenlabs.io/docs/capabilities/voices */
const voices: Readonly<Record<string, string>> = {
  alloy: 'SAz9YHcvj6GT2YYXdXww',
  echo: 'nPczCjzI2devNBz1zQrb',
  fable: 'JBFqnCBsd6RMkjVDRZzb',
  onyx: 'onwK4e9ZLuTAKqWW03F9',
  nova: 'EXAVITQu4vr4xnSDxMaL',
  shimmer: 'pFZP5JQG7iQjIQuC4Bku',
};

function speechPath(target: Target, { json }: ClientRequest): string {
  const voice = encodeURIComponent(mapVoice(target, readVoice(json), voices));
  return `/v1/text-to-speech/${voice}?output_format=${resolveElevenlabsFormat(json)}`;
}

/** Failure classes by error status: https://elevenlabs.io/docs/developers/resources/error-messages */
const kinds: ReadonlyMap<string, UpstreamErrorKind> = new Map([
  ['quota_exceeded', 'out-of-credit'],
  ['invalid_api_key', 'unauthorised'],
  ['too_many_concurrent_requests', 'rate-limited'],
  ['system_busy', 'overloaded'],
]);

/** https://elevenlabs.io/docs/api-reference/introduction */
export const elevenlabs: Provider = {
  id: 'elevenlabs',
  label: 'ElevenLabs',
  channelType: 1201,
  website: 'https://elevenlabs.io',
  baseUrl: 'https://api.elevenlabs.io',
  endpoints: {
    speech: [{ format: 'elevenlabs-speech', path: speechPath }],
    transcription: [{ format: 'elevenlabs-transcription', path: '/v1/speech-to-text' }],
  },
  credentials: [{ name: 'key', required: true, placeholder: 'sk_…' }],
  options: [voicesOption],
  testModel: 'eleven_flash_v2_5',
  authorize: ({ credentials }) => ({ 'xi-api-key': credentials['key'] ?? '' }),
  // An account without credit gets status 401.
  readError: (_status, body) => kinds.get(textOf(objectOf(objectOf(body)['detail'])['status']) ?? ''),
  // The list lacks transcription models.
  listModels: {
    path: () => '/v1/models',
    read: (body) =>
      listOf(body)
        .map(objectOf)
        .filter((model) => model['can_do_text_to_speech'] === true)
        .flatMap((model) => textOf(model['model_id']) ?? []),
  },
};
