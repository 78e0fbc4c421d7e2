import type { Provider } from '../model/provider.ts';
import { ai21 } from './ai21.ts';
import { ai360 } from './ai360.ts';
import { aihubmix } from './aihubmix.ts';
import { ali } from './ali.ts';
import { anthropic } from './anthropic.ts';
import { anthropicCompatible } from './anthropic-compatible.ts';
import { azure } from './azure.ts';
import { azureFoundry } from './azure-foundry.ts';
import { azureSpeech } from './azure-speech.ts';
import { azureV1 } from './azure-v1.ts';
import { baichuan } from './baichuan.ts';
import { baidu } from './baidu.ts';
import { baseten } from './baseten.ts';
import { bedrock } from './bedrock.ts';
import { bfl } from './bfl.ts';
import { byteplus } from './byteplus.ts';
import { cerebras } from './cerebras.ts';
import { cloudflare } from './cloudflare.ts';
import { cohere } from './cohere.ts';
import { coze } from './coze.ts';
import { custom } from './custom.ts';
import { databricks } from './databricks.ts';
import { deepgram } from './deepgram.ts';
import { deepinfra } from './deepinfra.ts';
import { deepseek } from './deepseek.ts';
import { dify } from './dify.ts';
import { elevenlabs } from './elevenlabs.ts';
import { fal } from './fal.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { giteeai } from './giteeai.ts';
import { github } from './github.ts';
import { groq } from './groq.ts';
import { huggingface } from './huggingface.ts';
import { hyperbolic } from './hyperbolic.ts';
import { ideogram } from './ideogram.ts';
import { iflow } from './iflow.ts';
import { infinigence } from './infinigence.ts';
import { internlm } from './internlm.ts';
import { jina } from './jina.ts';
import { kling } from './kling.ts';
import { lingyi } from './lingyi.ts';
import { llamaCpp } from './llama-cpp.ts';
import { lmStudio } from './lm-studio.ts';
import { localai } from './localai.ts';
import { luma } from './luma.ts';
import { midjourney } from './midjourney.ts';
import { mimo } from './mimo.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { mixedbread } from './mixedbread.ts';
import { modelscope } from './modelscope.ts';
import { moonshot } from './moonshot.ts';
import { nebius } from './nebius.ts';
import { novita } from './novita.ts';
import { nvidia } from './nvidia.ts';
import { ollama } from './ollama.ts';
import { oneApi } from './one-api.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { perplexity } from './perplexity.ts';
import { poe } from './poe.ts';
import { ppio } from './ppio.ts';
import { qiniu } from './qiniu.ts';
import { recraft } from './recraft.ts';
import { replicate } from './replicate.ts';
import { runway } from './runway.ts';
import { sambanova } from './sambanova.ts';
import { scaleway } from './scaleway.ts';
import { sensenova } from './sensenova.ts';
import { sglang } from './sglang.ts';
import { siliconflow } from './siliconflow.ts';
import { stability } from './stability.ts';
import { stepfun } from './stepfun.ts';
import { suno } from './suno.ts';
import { tencentHunyuan } from './tencent-hunyuan.ts';
import { together } from './together.ts';
import { upstage } from './upstage.ts';
import { venice } from './venice.ts';
import { vercel } from './vercel.ts';
import { vertex } from './vertex.ts';
import { vidu } from './vidu.ts';
import { vllm } from './vllm.ts';
import { volcengine } from './volcengine.ts';
import { voyage } from './voyage.ts';
import { xai } from './xai.ts';
import { xinference } from './xinference.ts';
import { xunfei } from './xunfei.ts';
import { zhipu } from './zhipu.ts';

/** All providers in the order of forms: the most common ones first, then all others by name. */
export const providers: readonly Provider[] = [
  openai,
  azure,
  anthropic,
  gemini,
  custom,
  ...[
    ai21,
    ai360,
    aihubmix,
    ali,
    anthropicCompatible,
    azureFoundry,
    azureSpeech,
    azureV1,
    baichuan,
    baidu,
    baseten,
    bedrock,
    bfl,
    byteplus,
    cerebras,
    cloudflare,
    cohere,
    coze,
    databricks,
    deepgram,
    deepinfra,
    deepseek,
    dify,
    elevenlabs,
    fal,
    fireworks,
    giteeai,
    github,
    groq,
    huggingface,
    hyperbolic,
    ideogram,
    iflow,
    infinigence,
    internlm,
    jina,
    kling,
    lingyi,
    llamaCpp,
    lmStudio,
    localai,
    midjourney,
    suno,
    luma,
    mimo,
    minimax,
    mistral,
    mixedbread,
    modelscope,
    moonshot,
    nebius,
    novita,
    nvidia,
    ollama,
    oneApi,
    openrouter,
    perplexity,
    poe,
    ppio,
    qiniu,
    recraft,
    replicate,
    runway,
    sambanova,
    scaleway,
    sensenova,
    sglang,
    siliconflow,
    stability,
    stepfun,
    tencentHunyuan,
    together,
    upstage,
    venice,
    vercel,
    vertex,
    vidu,
    vllm,
    volcengine,
    voyage,
    xai,
    xinference,
    xunfei,
    zhipu,
  ].toSorted((a, b) => a.label.localeCompare(b.label, 'en')),
];

export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}
