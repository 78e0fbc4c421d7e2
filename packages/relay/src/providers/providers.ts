import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { custom } from './custom.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { openai } from './openai.ts';

export const providers: readonly Provider[] = [openai, azure, custom, anthropic, gemini, groq];

export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}
