import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { azureFoundry } from './azure-foundry.ts';
import { azureV1 } from './azure-v1.ts';
import { cerebras } from './cerebras.ts';
import { custom } from './custom.ts';
import { databricks } from './databricks.ts';
import { deepinfra } from './deepinfra.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { github } from './github.ts';
import { groq } from './groq.ts';
import { huggingface } from './huggingface.ts';
import { mistral } from './mistral.ts';
import { nvidia } from './nvidia.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { perplexity } from './perplexity.ts';
import { sambanova } from './sambanova.ts';
import { together } from './together.ts';
import { xai } from './xai.ts';

export const providers: readonly Provider[] = [
  openai,
  azure,
  custom,
  anthropic,
  gemini,
  azureFoundry,
  azureV1,
  cerebras,
  databricks,
  deepinfra,
  fireworks,
  github,
  groq,
  huggingface,
  mistral,
  nvidia,
  openrouter,
  perplexity,
  sambanova,
  together,
  xai,
];

export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}
