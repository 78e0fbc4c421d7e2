import { describeValue } from '../json/describe-value.ts';
import { textOf } from '../json/json.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Provider, Quirk } from '../model/provider.ts';
import { mapVoice, voicesOption } from '../provider-kit/channel-options.ts';

/**
 * Multilingual voices, available in every region.
 * https://learn.microsoft.com/azure/ai-services/speech-service/language-support?tabs=tts
 */
const voices: Readonly<Record<string, string>> = {
  alloy: 'en-US-AvaMultilingualNeural',
  echo: 'en-US-AndrewMultilingualNeural',
  fable: 'en-GB-OllieMultilingualNeural',
  onyx: 'en-US-BrianMultilingualNeural',
  nova: 'en-US-EmmaMultilingualNeural',
  shimmer: 'en-US-JennyMultilingualNeural',
};

/**
 * High-definition voices, which are billed at a higher rate: `en-US-Ava:DragonHDLatestNeural`, and OpenAI's
 * `en-US-AlloyMultilingualNeuralHD`.
 * https://learn.microsoft.com/azure/ai-services/speech-service/high-definition-voices,
 * https://learn.microsoft.com/azure/ai-services/speech-service/partner-voices
 */
const hdVoice = /:|neuralhd\b/i;
/**
 * The only model whose price is that of such voices. Azure gets no model, and so would refuse no other name with `hd`, which
 * a wildcard price of the other voices could cover.
 */
const HD_MODEL = 'tts-1-hd';

/** Maps OpenAI's voices. A client may name a high-definition voice only for a model that is priced for one. */
const mapVoices: Quirk = (body, target) => {
  const asked = textOf(body['voice']) ?? '';
  const voice = mapVoice(target, asked, voices);
  if (voice === asked && hdVoice.test(voice) && target.model !== HD_MODEL)
    throw new InvalidRequestError(
      `The price of this model does not cover the HD voice ${describeValue(asked)}. Choose ${HD_MODEL}.`,
      'voice',
    );
  return { ...body, voice };
};

/** https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech */
export const azureSpeech: Provider = {
  id: 'azure-speech',
  label: 'Azure Speech',
  channelType: 24,
  website: 'https://portal.azure.com',
  baseUrl: 'https://{region}.tts.speech.microsoft.com',
  endpoints: { speech: [{ format: 'azure-speech', path: '/cognitiveservices/v1' }] },
  credentials: [{ name: 'key', required: true }],
  options: [{ name: 'region', required: false, default: 'eastus', placeholder: 'eastus' }, voicesOption],
  testModel: 'tts-1',
  headers: { 'user-agent': 'switchyard' },
  authorize: ({ credentials }) => ({ 'ocp-apim-subscription-key': credentials['key'] ?? '' }),
  quirks: [mapVoices],
};
