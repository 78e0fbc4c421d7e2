import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { azureSpeech } from './azure-speech.ts';
import { bedrock } from './bedrock.ts';
import { cohere } from './cohere.ts';
import { custom } from './custom.ts';
import { deepgram } from './deepgram.ts';
import { elevenlabs } from './elevenlabs.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { openai } from './openai.ts';
import { vertex } from './vertex.ts';
export const providers: readonly Provider[] = [
  openai,
  azure,
  anthropic,
  gemini,
  custom,
  azureSpeech,
  bedrock,
  cohere,
  deepgram,
  elevenlabs,
  groq,
  vertex,
];

export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}
