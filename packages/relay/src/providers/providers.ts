import type { Provider } from '../provider.ts';
import { ai21 } from './ai21.ts';
import { aihubmix } from './aihubmix.ts';
import { anthropic } from './anthropic.ts';
import { anthropicCompatible } from './anthropic-compatible.ts';
import { azure } from './azure.ts';
import { azureFoundry } from './azure-foundry.ts';
import { azureV1 } from './azure-v1.ts';
import { baseten } from './baseten.ts';
import { bedrock } from './bedrock.ts';
import { cerebras } from './cerebras.ts';
import { custom } from './custom.ts';
import { databricks } from './databricks.ts';
import { deepinfra } from './deepinfra.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { github } from './github.ts';
import { groq } from './groq.ts';
import { huggingface } from './huggingface.ts';
import { hyperbolic } from './hyperbolic.ts';
import { jina } from './jina.ts';
import { llamaCpp } from './llama-cpp.ts';
import { lmStudio } from './lm-studio.ts';
import { localai } from './localai.ts';
import { mistral } from './mistral.ts';
import { mixedbread } from './mixedbread.ts';
import { nebius } from './nebius.ts';
import { novita } from './novita.ts';
import { nvidia } from './nvidia.ts';
import { ollama } from './ollama.ts';
import { oneApi } from './one-api.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { perplexity } from './perplexity.ts';
import { poe } from './poe.ts';
import { sambanova } from './sambanova.ts';
import { scaleway } from './scaleway.ts';
import { sglang } from './sglang.ts';
import { together } from './together.ts';
import { upstage } from './upstage.ts';
import { venice } from './venice.ts';
import { vercel } from './vercel.ts';
import { vertex } from './vertex.ts';
import { vllm } from './vllm.ts';
import { voyage } from './voyage.ts';
import { xai } from './xai.ts';
import { xinference } from './xinference.ts';

export const providers: readonly Provider[] = [
  openai,
  azure,
  anthropic,
  gemini,
  custom,
  ai21,
  aihubmix,
  anthropicCompatible,
  azureFoundry,
  azureV1,
  baseten,
  bedrock,
  cerebras,
  databricks,
  deepinfra,
  fireworks,
  github,
  groq,
  huggingface,
  hyperbolic,
  jina,
  llamaCpp,
  lmStudio,
  localai,
  mistral,
  mixedbread,
  nebius,
  novita,
  nvidia,
  ollama,
  oneApi,
  openrouter,
  perplexity,
  poe,
  sambanova,
  scaleway,
  sglang,
  together,
  upstage,
  venice,
  vercel,
  vertex,
  vllm,
  voyage,
  xai,
  xinference,
];

export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}
