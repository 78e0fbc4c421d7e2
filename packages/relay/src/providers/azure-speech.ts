import { textOf } from '../json/json.ts';
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

const mapVoices: Quirk = (body, target) => ({ ...body, voice: mapVoice(target, textOf(body['voice']) ?? '', voices) });

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
